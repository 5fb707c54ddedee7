// The history of each rank while a program runs: the operations on which no later operation of the
// rank depends, and the first level above all operations of the rank. Programs that call algorithms
// need this history, because a call begins after everything that its ranks have done. So do
// programs that use level().
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules { namespace program {

class RankTraces {
 public:
  // `ops` must outlive this object. If `kept` is false, only kept() and memory_bytes() may be
  // called.
  RankTraces(const std::vector<Op>& ops, std::uint32_t ranks, bool kept)
      : ops_(ops), ranks_(kept ? ranks : 0), kept_(kept) {}

  [[nodiscard]] bool kept() const { return kept_; }
  // Adds operation `id`, which must be the newest one and depends on the operations in `after`.
  void add(OpId id, std::span<const OpId> after) {
    const Op& op = ops_[id];
    for (const OpId before : after) {
      const Op& earlier = ops_[before];
      followed_[before] |= static_cast<std::uint8_t>((op.touches(earlier.src()) ? kAtSrc : 0U) |
                                                     (op.touches(earlier.dst()) ? kAtDst : 0U));
    }
    followed_.push_back(0);
    add_at(op.src(), id, op.label().level);
    if (op.dst() != op.src()) {
      add_at(op.dst(), id, op.label().level);
    }
  }

  [[nodiscard]] bool has_done_nothing(Rank rank) const { return ranks_[rank].ops.empty(); }
  // Returns the operations of `rank` on which no later operation at `rank` depends, ascending. The
  // result is valid until the next operation is added.
  [[nodiscard]] const std::vector<OpId>& last(Rank rank) {
    std::vector<OpId>& ops = ranks_[rank].ops;
    std::erase_if(ops, [&](OpId id) {
      return (followed_[id] & (ops_[id].src() == rank ? kAtSrc : kAtDst)) != 0;
    });
    return ops;
  }
  // The first level above all operations of the rank.
  [[nodiscard]] std::uint32_t next_level(Rank rank) const { return ranks_[rank].next_level; }
  void reach(Rank rank, std::uint32_t level) {
    ranks_[rank].next_level = std::max(ranks_[rank].next_level, level);
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    return kept_ ? ranks_.size() * sizeof(Trace) + followed_.size() + listed_ * sizeof(OpId) : 0;
  }

 private:
  static constexpr std::uint32_t kAtSrc = 1;
  static constexpr std::uint32_t kAtDst = 2;
  struct Trace {
    // Operations of the rank. last() removes those on which later operations at the rank depend.
    std::vector<OpId> ops;
    std::uint32_t next_level = 0;
  };

  void add_at(Rank rank, OpId id, std::uint32_t level) {
    ranks_[rank].ops.push_back(id);
    reach(rank, level + 1);
    ++listed_;
  }

  const std::vector<Op>& ops_;
  std::vector<Trace> ranks_;
  bool kept_;
  // For each operation: kAtSrc, kAtDst or both, if a later operation at its src or dst depends on
  // it.
  std::vector<std::uint8_t> followed_;
  std::size_t listed_ = 0;
};

}}}  // namespace tutti::schedules::program
