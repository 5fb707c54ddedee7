// All-to-all in p-1 steps with one partner each: in step k every rank sends one block to its
// partner and receives one, directly from input to work. Blocks are numbered by distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/own_block.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

[[nodiscard]] inline std::optional<double> pairwise_alltoall_s(const Problem& problem,
                                                               const Prices& prices) {
  if (prices.copy_s_per_byte > 0) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return (p - 1) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

// Calls emit(step) for the steps in which each rank sends to the rank that is `step` further, and
// receives. If p is odd, what the receiver of step (p + 1) / 2 sent before is what the sender
// received before: one dependency of both.
template <typename Emit>
void emit_exchange_steps(ScheduleBuilder& builder, Emit&& emit) {
  const std::uint32_t p = builder.ranks();
  const auto [left_out, behind] = builder.each_distance(emit);
  const std::uint32_t middle = (p + 1) / 2;
  if (p % 2 == 1 && middle >= left_out && middle < behind) {
    builder.count_less(builder.classes().count());
  }
}

// `to(rank, step)` returns the rank to which `rank` sends, a different one in each step from 1 to
// p-1: if ranks are equivalent by rotation, the one that is `step` further.
template <typename Partner>
void emit_pairwise_alltoall(ScheduleBuilder& builder, Partner&& to) {
  const std::uint32_t p = builder.ranks();
  builder.reserve(std::size_t{p} * p, 4 * std::size_t{p} * (p - 1));
  copy_own_blocks(builder);
  Rounds rounds(builder);
  emit_exchange_steps(builder, [&](std::uint32_t step) {
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank partner = to(rank, step);
      const std::uint32_t distance = partner < rank ? partner + p - rank : partner - rank;
      rounds.comm(rank, partner, {{distance, 1}, kInput, kWork});
    }
  });
}

}}  // namespace tutti::schedules
