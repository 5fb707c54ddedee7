// Bruck's all-to-all. Blocks are numbered by distance: block k has to travel k ranks. At level l
// rank r sends all blocks whose k has the digit j at place l in base K to rank r + j K^l, for all j
// < K at once. A copy, which takes no time unless --copy-cost is given, unpacks the received
// blocks. K is --radix. With K = 2, the default, the blocks k in which bit l is set go to rank r +
// 2^l.
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; [schedule document] ("Bruck"). For K > 2 MPICH
// 4.1, src/mpi/coll/alltoall/alltoall_intra_k_brucks.c; in 4.0 the non-blocking
// ialltoall_tsp_brucks.c.
#include <algorithm>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/kary_hypercube.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

// Returns the blocks k < p whose digit of weight phase.distance is from `first` to `last`.
BlockSet blocks_of(std::uint32_t p, const HopPhase& phase, std::uint32_t radix, std::uint32_t first,
                   std::uint32_t last) {
  const std::uint64_t weight = phase.distance;
  const std::uint64_t all = weight * radix;
  const std::uint64_t start = first * weight;
  const std::uint64_t run = (last - first + 1) * weight;
  const std::uint64_t rest = p % all;
  const std::uint64_t count =
      p / all * run + (rest > start ? std::min<std::uint64_t>(rest - start, run) : 0);
  return {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(count),
          static_cast<std::uint32_t>(run),
          static_cast<std::uint32_t>(std::min<std::uint64_t>(all, p))};
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t radix = kRadix2.of(problem);
  const std::vector<HopPhase> plan = hop_phases(p, radix);
  double volume = 0;
  for (const HopPhase& phase : plan) {
    volume += blocks_of(p, phase, radix, 1, phase.hops).count;
  }
  const double n = static_cast<double>(problem.bytes);
  const double moved = n / p * volume;
  return hop_messages(plan) * prices.alpha_s + moved * prices.beta_s_per_byte +
         (n + moved) * prices.copy_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t radix = kRadix2.of(problem);
  const std::vector<HopPhase> plan = hop_phases(p, radix);
  const std::size_t messages = hop_messages(plan);
  builder.reserve((messages + plan.size() + 1) * p, 4 * messages * p);
  Phases phases(builder, 2 * std::size_t{most_hops(plan)});
  for (const Rank rank : phases.emitted_ranks()) {
    phases.copy_first(rank, {{0, p}, kInput, kWork});
  }
  for (const HopPhase& phase : plan) {
    phases.next();
    for (std::uint32_t j = 1; j <= phase.hops; ++j) {
      const BlockSet blocks = blocks_of(p, phase, radix, j, j);
      for (const Rank rank : phases.emitted_ranks()) {
        const auto to = static_cast<Rank>((std::uint64_t{rank} + j * phase.distance) % p);
        phases.comm(rank, to, {blocks, kWork, kScratch}, j - 1);
      }
    }
    // A received block takes the place of the block with the same number that was sent.
    const BlockSet arrived = blocks_of(p, phase, radix, 1, phase.hops);
    for (const Rank rank : phases.emitted_ranks()) {
      phases.copy(rank, {arrived, kScratch, kWork}, phase.hops);
    }
  }
}

}  // namespace

extern const Algorithm bruck{
    .collective = Collective::alltoall,
    .name = "bruck",
    .idea = "in round l, blocks whose distance has digit j at position l travel j K^l ranks",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; [schedule document]",
    .cost =
        "ceil(lg p) alpha + n/p (sum of popcount(i), i < p) beta for K = 2; m (K - 1) alpha + m "
        "(1 - 1/K) n beta for p = K^m",
    .options = bit(Option::radix),
    .own_numbers = {&kRadix2, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoall
