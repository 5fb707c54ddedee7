// Bruck's all-to-all: block k, counted by distance, has k ranks to go; at level l every rank sends
// all blocks whose k has bit l set to rank r + 2^l. What arrives is unpacked by a copy, free unless
// copies are priced.
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; [schedule document] ("Bruck").
#include <bit>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"
#include "schedules/patterns/travelling_blocks.hpp"

namespace tutti::alltoall {

namespace {

// Blocks k < p with the bit of `distance` set.
std::uint32_t blocks_with_bit(std::uint32_t p, std::uint32_t distance) {
  const std::uint32_t rest = p % (2 * distance);
  return p / (2 * distance) * distance + (rest > distance ? rest - distance : 0);
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return static_cast<double>(problem.bytes) * prices.copy_s_per_byte;
  }
  double volume = 0;
  for (std::uint32_t distance = 1; distance < problem.ranks; distance *= 2) {
    volume += blocks_with_bit(problem.ranks, distance);
  }
  const double n = static_cast<double>(problem.bytes);
  const double moved = n / problem.ranks * volume;
  return ceil_log2(problem.ranks) * prices.alpha_s + moved * prices.beta_s_per_byte +
         (n + moved) * prices.copy_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::size_t levels = ceil_log2(p);
  builder.reserve((2 * levels + 1) * p, (4 + 2) * levels * p + p);
  Rounds rounds(builder);
  TravellingBlocks travel(rounds, p);
  for (std::uint32_t distance = 1; distance < p; distance *= 2) {
    const BlockSet blocks{distance, blocks_with_bit(p, distance), distance, 2 * distance};
    travel.hop(distance, blocks);
  }
}

}  // namespace

extern const Algorithm bruck{
    .collective = Collective::alltoall,
    .name = "bruck",
    .idea = "blocks with bit l of their distance set travel 2^l ranks at level l",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; [schedule document]",
    .cost = "ceil(lg p) alpha + n/p (sum of popcount(i), i < p) beta",
    .keeps_order = nullptr,
    .options = 0,
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::alltoall
