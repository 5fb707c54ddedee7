// Bruck's allgather for any p, in either direction. Before level l every rank has K^l blocks; K is
// --radix. At level l it sends these blocks, or those of them that the receiver lacks, to the ranks
// at the distances K^l, 2 K^l, ..., (K - 1) K^l, all at once. With K = 2, the default, there are
// ceil(lg p) rounds. The blocks are collected in a scratch vector; a final copy, which takes no
// time unless --copy-cost is given, moves them to their places in the result.
//
// If a rank has fewer than K - 1 ports, the messages of a level take turns: at all ranks, messages
// to nearer ranks come first.
#pragma once

#include <algorithm>
#include <optional>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/kary_hypercube.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules {

enum class Towards : std::uint8_t {
  higher,  // rank r sends to r + K^l; a rank collects the blocks of ranks below it
  lower,   // rank r sends to r - K^l; a rank collects the blocks of ranks above it
};

[[nodiscard]] inline std::optional<double> bruck_allgather_s(const Problem& problem,
                                                             const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  const double p = problem.ranks;
  const double n = static_cast<double>(problem.bytes);
  return hop_messages(hop_phases(problem.ranks, kRadix2.of(problem))) * prices.alpha_s +
         (p - 1) / p * n * prices.beta_s_per_byte + (n / p + n) * prices.copy_s_per_byte;
}

inline void emit_bruck_allgather(const Problem& problem, ScheduleBuilder& builder, Towards side) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  const std::vector<HopPhase> plan = hop_phases(p, kRadix2.of(problem));
  std::size_t dependencies = 0;
  std::size_t before = 1;
  for (const HopPhase& phase : plan) {
    dependencies += 2 * before * phase.hops;
    before = 2 * std::size_t{phase.hops};
  }
  builder.reserve((hop_messages(plan) + std::size_t{2}) * p, (dependencies + before) * p);
  Phases phases(builder, 2 * std::size_t{most_hops(plan)});
  for (const Rank rank : phases.emitted_ranks()) {
    phases.copy_first(rank, {{rank, 1}, kWork, kScratch});
  }
  for (const HopPhase& phase : plan) {
    phases.next();
    for (std::uint32_t j = 1; j <= phase.hops; ++j) {
      const std::uint32_t distance = j * phase.distance;
      const std::uint32_t count = std::min(phase.distance, p - distance);
      for (const Rank rank : phases.emitted_ranks()) {
        // The receiver lacks the `count` blocks that are nearest to the sender's own block.
        const Rank first = side == Towards::lower ? rank : (rank + 1 + p - count) % p;
        const Rank to = (rank + (side == Towards::lower ? p - distance : distance)) % p;
        phases.comm(rank, to, {{first, count}, kScratch, kScratch}, j - 1);
      }
    }
  }
  for (const Rank rank : phases.emitted_ranks()) {
    phases.copy(rank, {{0, p}, kScratch, kWork}, plan.back().hops);
  }
}

// Provides the functions of an Algorithm that sends towards `kSide`.
template <Towards kSide>
struct BruckAllgather {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.options = bit(Option::radix);
    own.own_numbers = {&kRadix2, 1};
    own.refusal = refuse_radix_1;
    own.limits = kRadix1;
    own.layout = block_per_rank;
    own.exact_s = bruck_allgather_s;
    own.symmetry = rotation_of_even_blocks;
    own.emit = [](const Problem& problem, ScheduleBuilder& builder) {
      emit_bruck_allgather(problem, builder, kSide);
    };
    own.one_shape = always;
    return own;
  }
};

}}  // namespace tutti::schedules
