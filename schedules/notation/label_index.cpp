#include "schedules/notation/label_index.hpp"

#include <algorithm>
#include <bit>

namespace tutti { inline namespace schedules {

std::uint32_t LabelIndex::position_of(std::uint32_t level) const {
  if (level < dense_.size()) {
    return dense_[level];
  }
  if (level < kDenseLevels) {
    return kNoTable;
  }
  const auto found = sparse_.find(level);
  return found == sparse_.end() ? kNoTable : found->second;
}

LabelIndex::Table& LabelIndex::make_table(std::uint32_t level) {
  const auto at = static_cast<std::uint32_t>(tables_.size());
  if (level < kDenseLevels) {
    if (level >= dense_.size()) {
      dense_.resize(
          std::clamp<std::size_t>(2 * dense_.size(), level + std::size_t{1}, kDenseLevels),
          kNoTable);
    }
    dense_[level] = at;
  } else {
    sparse_.emplace(level, at);
  }
  // The table starts with the size of the table that was made last, because levels mostly have
  // similar sizes. The limit saves memory if one large level is followed by many levels with one
  // label each.
  constexpr std::size_t kSmallest = 4;
  std::size_t room = kSmallest;
  if (!tables_.empty()) {
    room = std::max(kSmallest, tables_.back().entries.size());
    if (entries_ + room > 8 * entries_used_ + 1024) {
      room = kSmallest;
    }
  }
  Table& table = tables_.emplace_back();
  table.entries.resize(room);
  entries_ += room;
  return table;
}

OpId LabelIndex::find_in(const Table& table, const LabelKey& key, std::uint32_t hash) const {
  const std::size_t mask = table.entries.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Entry& entry = table.entries[at];
    if (entry.id == kNoOp || (entry.hash == hash && key.names(ops_[entry.id]))) {
      return entry.id;
    }
  }
}

void LabelIndex::grow(Table& table) {
  std::vector<Entry> larger(2 * table.entries.size());
  const std::size_t mask = larger.size() - 1;
  for (const Entry& entry : table.entries) {
    if (entry.id != kNoOp) {
      std::size_t at = entry.hash & mask;
      while (larger[at].id != kNoOp) {
        at = (at + 1) & mask;
      }
      larger[at] = entry;
    }
  }
  entries_ += table.entries.size();
  table.entries.swap(larger);
}

OpId LabelIndex::add(const LabelKey& key, OpId id) {
  const std::uint32_t position = position_of(key.label.level);
  Table& table = position == kNoTable ? make_table(key.label.level) : tables_[position];
  if (2 * (table.used + std::size_t{1}) > table.entries.size()) {
    grow(table);
  }
  const std::uint32_t hashed = hash(key);
  const std::size_t mask = table.entries.size() - 1;
  std::size_t at = hashed & mask;
  for (; table.entries[at].id != kNoOp; at = (at + 1) & mask) {
    const Entry& entry = table.entries[at];
    if (entry.hash == hashed && key.names(ops_[entry.id])) {
      return entry.id;
    }
  }
  table.entries[at] = {hashed, id};
  ++table.used;
  ++entries_used_;
  return kNoOp;
}

}}  // namespace tutti::schedules
