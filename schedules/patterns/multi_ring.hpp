// Several rings in parallel, one for each channel. Each ring moves its own part of every block.
// Channel 0 goes one rank up and channel 1 one rank down. Channels 2 and 3 go up and down by the
// smallest stride above 1 that is coprime to p, and so on. After the last such stride, the strides
// start again with 1. With two channels, the ring runs in both directions. The channels of a rank
// share its port, and operation ids decide which channel sends first, so ranks are not equivalent.
//
// Source: NCCL, src/graph/connect.cc and src/device/all_reduce.h: a ring for each channel. NCCL
// derives the order of ranks from the links between the GPUs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/block_parts.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

class MultiRing {
 public:
  explicit MultiRing(const Problem& problem);

  [[nodiscard]] std::size_t messages() const {
    return std::size_t{p_} * (p_ - 1) * strides_.size();
  }
  // These two functions emit step 0 of all channels, then step 1 of all channels, and so on.
  // reduce_scatter() reduces each block at its rank, and allgather() distributes it from there.
  void reduce_scatter(std::vector<Rounds>& rounds) const;
  void allgather(std::vector<Rounds>& rounds) const;
  [[nodiscard]] std::vector<Rounds> rounds(ScheduleBuilder& builder) const {
    return std::vector<Rounds>(strides_.size(), Rounds(builder));
  }

 private:
  [[nodiscard]] Rank plus(Rank a, Rank b) const { return a + b < p_ ? a + b : a + b - p_; }
  // Returns the distance, in rank numbers modulo p, from a rank up to the rank that is `back`
  // places behind it on the ring.
  [[nodiscard]] Rank ahead(std::uint32_t channel, std::uint32_t back) const {
    return static_cast<Rank>(std::uint64_t{p_ - strides_[channel]} * back % p_);
  }
  // Returns the channel's part of the block of rank (`rank` + `ahead`) mod p.
  [[nodiscard]] BlockSet block(std::uint32_t channel, Rank rank, Rank ahead) const {
    return {plus(rank, ahead) * static_cast<std::uint32_t>(strides_.size()) + channel, 1};
  }

  std::uint32_t p_;
  // For each channel: the distance from a rank up to its successor on the ring, in rank numbers
  // modulo p.
  std::vector<std::uint32_t> strides_;
};

[[nodiscard]] inline BlockLayout multi_ring_layout(const Problem& problem) {
  return layout_in_parts(problem, kTwoChannels.of(problem));
}

// Provides the functions of an Algorithm that is a reduce-scatter, an allgather, or one after the
// other.
template <bool kReduces, bool kGathers>
struct MultiRingOf {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.options |= bit(Option::channels);
    own.own_numbers = {&kTwoChannels, 1};
    own.layout = multi_ring_layout;
    own.emit = emit;
    own.has_alike_rounds = true;
    own.one_shape = always;
    return own;
  }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    const MultiRing ring(problem);
    const std::size_t messages = ring.messages();
    builder.reserve(((kReduces ? 2 : 0) + (kGathers ? 1 : 0)) * messages,
                    ((kReduces ? 5 : 0) + (kGathers ? 4 : 0)) * messages);
    std::vector<Rounds> rounds = ring.rounds(builder);
    if constexpr (kReduces) {
      ring.reduce_scatter(rounds);
    }
    if constexpr (kGathers) {
      ring.allgather(rounds);
    }
  }
};

}}  // namespace tutti::schedules
