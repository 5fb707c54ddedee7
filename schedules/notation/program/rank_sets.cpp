#include "schedules/notation/program/rank_sets.hpp"

#include <algorithm>
#include <utility>

namespace tutti { inline namespace schedules { namespace program {

const RankSets::Table* RankSets::sparse_table(std::uint32_t level) const {
  const auto found = sparse_.find(level);
  return found == sparse_.end() ? nullptr : &tables_[found->second];
}

RankSets::Table& RankSets::own_table(std::uint32_t level) {
  if (level < dense_.size() && dense_[level] != kNoTable) {
    return tables_[dense_[level]];
  }
  const auto position = static_cast<std::uint32_t>(tables_.size());
  if (level < kDenseLevels) {
    if (level >= dense_.size()) {
      dense_.resize(
          std::clamp<std::size_t>(2 * dense_.size(), level + std::size_t{1}, kDenseLevels),
          kNoTable);
    }
    dense_[level] = position;
  } else {
    const auto [found, is_new] = sparse_.try_emplace(level, position);
    if (!is_new) {
      return tables_[found->second];
    }
  }
  // The table starts with the size of the table that was made last, because levels mostly have
  // similar sizes. The limit saves memory if one large level is followed by many levels with one
  // member each.
  constexpr std::size_t kSmallest = 4;
  std::size_t room = kSmallest;
  bool by_rank = false;
  if (!tables_.empty() && sets_ + tables_.back().sets.size() <= 8 * used_ + 1024) {
    by_rank = tables_.back().by_rank;
    room = std::max(kSmallest, tables_.back().sets.size());
  }
  Table& in = tables_.emplace_back();
  in.by_rank = by_rank;
  in.sets.resize(by_rank ? ranks_ : room);
  in.used = by_rank ? ranks_ : 0;
  used_ += in.used / 2;
  sets_ += in.sets.size();
  return in;
}

RankSets::Set& RankSets::place_for(Table& in, std::uint32_t segment, Rank rank) {
  const std::size_t mask = in.sets.size() - 1;
  std::size_t place = hash(segment, rank) & mask;
  while (in.sets[place].rank != kNoOp &&
         (in.sets[place].rank != rank || in.sets[place].segment != segment)) {
    place = (place + 1) & mask;
  }
  return in.sets[place];
}

RankSets::Set& RankSets::at_hashed(Table& in, std::uint32_t segment, Rank rank) {
  Set* set = &place_for(in, segment, rank);
  if (set->rank != kNoOp) {
    return *set;
  }
  if (2 * (in.used + std::size_t{1}) > in.sets.size()) {
    grow(in);
    if (in.by_rank) {
      in.sets[rank].rank = rank;
      return in.sets[rank];
    }
    set = &place_for(in, segment, rank);
  }
  set->rank = rank;
  set->segment = segment;
  ++in.used;
  ++used_;
  return *set;
}

void RankSets::grow(Table& in) {
  std::vector<Set> old;
  old.swap(in.sets);
  sets_ -= old.size();
  in.by_rank = !segments_ && 2 * old.size() >= ranks_;
  in.sets.resize(in.by_rank ? ranks_ : 2 * old.size());
  sets_ += in.sets.size();
  for (const Set& set : old) {
    if (set.rank != kNoOp) {
      (in.by_rank ? in.sets[set.rank] : place_for(in, set.segment, set.rank)) = set;
    }
  }
}

void RankSets::add_to_chain(Set& set, OpId id) {
  const auto next = static_cast<std::uint32_t>(more_.size());
  if (set.count == kInside) {
    more_.push_back({set.ids[1], next + 1});
    more_.push_back({set.ids[2], next + 2});
    more_.push_back({id, kNoOp});
    set.ids[1] = next;
    set.ids[2] = next + 2;
  } else {
    more_.push_back({id, kNoOp});
    more_[set.ids[2]].next = next;
    set.ids[2] = next;
  }
  ++set.count;
}

void RankSets::assign(std::uint32_t level, std::uint32_t segment, Rank rank,
                      std::span<const OpId> ids) {
  Set& set = at(level, segment, rank);
  set.count = 0;
  for (const OpId id : ids) {
    add_to(set, id);
  }
}

}}}  // namespace tutti::schedules::program
