// Rings side by side, each with its part of every block, each over other neighbours: channel 0 goes
// one rank up, channel 1 one rank down, the next two as far as the next number that has no divisor
// in common with p, up and down; and so on, from the start again where there is none. Two channels
// are the ring in both directions. They share a port, and who is first there depends on ids: so no
// rank stands for all.
//
// Source: NCCL, src/graph/connect.cc and src/device/all_reduce.h: a ring for each channel, whose
// order NCCL takes from what joins the GPUs; its rings in pairs are each other's reverse.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/block_parts.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::inline schedules {

class MultiRing {
 public:
  explicit MultiRing(const Problem& problem);

  [[nodiscard]] std::size_t messages() const {
    return std::size_t{p_} * (p_ - 1) * strides_.size();
  }
  // Channels take turns, step by step. Reduces each block at its rank; hands each on from there.
  void reduce_scatter(std::vector<Rounds>& rounds) const;
  void allgather(std::vector<Rounds>& rounds) const;
  [[nodiscard]] std::vector<Rounds> rounds(ScheduleBuilder& builder) const {
    return std::vector<Rounds>(strides_.size(), Rounds(builder));
  }

 private:
  [[nodiscard]] Rank plus(Rank a, Rank b) const { return a + b < p_ ? a + b : a + b - p_; }
  // By how much the rank so many neighbours back is ahead.
  [[nodiscard]] Rank ahead(std::uint32_t channel, std::uint32_t back) const {
    return static_cast<Rank>(std::uint64_t{p_ - strides_[channel]} * back % p_);
  }
  // The channel's part of the block of the rank that is so far ahead.
  [[nodiscard]] BlockSet block(std::uint32_t channel, Rank rank, Rank ahead) const {
    return {plus(rank, ahead) * static_cast<std::uint32_t>(strides_.size()) + channel, 1};
  }

  std::uint32_t p_;
  std::vector<std::uint32_t> strides_;  // by channel
};

[[nodiscard]] inline BlockLayout multi_ring_layout(const Problem& problem) {
  return layout_in_parts(problem, kTwoChannels.of(problem));
}

// The members of an Algorithm that is a reduce-scatter, an allgather, or one after the other.
template <bool kReduces, bool kGathers>
struct MultiRingOf {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.options |= bit(Option::channels);
    own.own_numbers = {&kTwoChannels, 1};
    own.layout = multi_ring_layout;
    own.emit = emit;
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

}  // namespace tutti::inline schedules
