// Finds the operation that has a given label while a program runs.
//
// In algorithms in rounds, a rank sends once and receives once per level. An array over the ranks
// is then enough, and neighbouring entries are mostly accessed one after the other. If an
// operation's entries in this array are taken, the operation goes into a table. It goes into a list
// instead if find() will not be called and labels arrive in ascending order, so that no label is
// repeated.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/notation/label_index.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace schedules { namespace program {

class Labels {
 public:
  // Ids are positions in `ops`, which must outlive this object. `finds` is true if find() will be
  // called.
  Labels(const std::vector<Op>& ops, std::uint32_t ranks, bool finds)
      : ops_(ops), ranks_(ranks), finds_(finds), table_(ops) {}

  // Returns the operation with the label, or kNoOp if there is none.
  [[nodiscard]] OpId find(const LabelKey& key) const {
    if (key.label.level < levels_.size() && !levels_[key.label.level].places.empty()) {
      const Level& level = levels_[key.label.level];
      if (const OpId id = level.places[key.src].from(key); id != kNoOp && key.names(ops_[id])) {
        return id;
      }
      if (const OpId id = level.places[key.dst].into(key); id != kNoOp && key.names(ops_[id])) {
        return id;
      }
      if (!level.uses_table) {
        return kNoOp;
      }
    }
    return table_.find(key);
  }

  // Adds a label, as LabelIndex::add() does.
  OpId add(const LabelKey& key, OpId id) {
    Level* const level = level_of(key.label.level);
    if (level == nullptr) {
      return table_.add(key, id);
    }
    if (level->places.empty()) {
      level->uses_table = true;
      return table_.add(key, id);
    }
    OpId& from = level->places[key.src].from(key);
    OpId& into = level->places[key.dst].into(key);
    if (from != kNoOp && into != kNoOp) {
      for (const OpId other : {from, into}) {
        if (key.names(ops_[other])) {
          return other;
        }
      }
      return add_to_rest(*level, key, id);
    }
    for (const OpId other : {from, into}) {
      if (other != kNoOp && key.names(ops_[other])) {
        return other;
      }
    }
    if (level->uses_table) {
      const OpId other = table_.find(key);
      if (other != kNoOp) {
        return other;
      }
    }
    (from == kNoOp ? from : into) = id;
    if (into == kNoOp) {
      into = id;
    }
    return kNoOp;
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    return places_ * sizeof(Places) + listed_ * sizeof(OpId) + levels_.size() * sizeof(Level) +
           table_.memory_bytes();
  }

 private:
  // For one rank at one level: one operation of each kind, or kNoOp.
  struct Places {
    OpId sent = kNoOp;
    OpId received = kNoOp;
    OpId reduced = kNoOp;
    OpId copied = kNoOp;

    OpId& from(const LabelKey& key) {
      return key.reduction ? reduced : key.src == key.dst ? copied : sent;
    }
    OpId& into(const LabelKey& key) {
      return key.reduction ? reduced : key.src == key.dst ? copied : received;
    }
    [[nodiscard]] OpId from(const LabelKey& key) const {
      return key.reduction ? reduced : key.src == key.dst ? copied : sent;
    }
    [[nodiscard]] OpId into(const LabelKey& key) const {
      return key.reduction ? reduced : key.src == key.dst ? copied : received;
    }
  };
  struct Level {
    // The operations of each rank; empty if the level does not use the array.
    std::vector<Places> places;
    bool uses_table = false;
    // Operations whose labels are ascending; they are not in the table yet.
    std::vector<OpId> in_order;
    std::uint32_t segment = 0;
    std::uint64_t last_ranks = 0;
  };
  static constexpr std::uint32_t kMostLevels = 1U << 16U;
  // Number of entries that the arrays of all levels together may have even if there are few
  // operations.
  static constexpr std::size_t kFree = 1U << 16U;

  OpId add_to_rest(Level& level, const LabelKey& key, OpId id) {
    const std::uint64_t ranks = std::uint64_t{key.src} << 32U | key.dst;
    if (!finds_ && !level.uses_table && !key.reduction &&
        (level.in_order.empty() ||
         (key.label.segment == level.segment && ranks > level.last_ranks))) {
      level.segment = key.label.segment;
      level.last_ranks = ranks;
      level.in_order.push_back(id);
      ++listed_;
      return kNoOp;
    }
    level.uses_table = true;
    for (const OpId other : level.in_order) {
      const Op& op = ops_[other];
      (void)table_.add({op.label(), op.src(), op.dst(), op.kind() == OpKind::reduce}, other);
    }
    listed_ -= level.in_order.size();
    level.in_order = {};
    return table_.add(key, id);
  }

  // Returns nullptr if the level is too high to have an entry.
  Level* level_of(std::uint32_t level) {
    if (level >= levels_.size()) {
      if (level >= kMostLevels) {
        return nullptr;
      }
      levels_.resize(level + std::size_t{1});
    }
    Level& found = levels_[level];
    // The limit prevents a program that has many levels with one operation each from using all
    // memory.
    if (found.places.empty() && places_ + ranks_ <= 8 * ops_.size() + kFree) {
      found.places.resize(ranks_);
      places_ += ranks_;
    }
    return &found;
  }

  const std::vector<Op>& ops_;
  std::uint32_t ranks_;
  bool finds_;
  std::vector<Level> levels_;
  std::size_t places_ = 0;
  // Number of operations in all lists Level::in_order.
  std::size_t listed_ = 0;
  LabelIndex table_;
};

}}}  // namespace tutti::schedules::program
