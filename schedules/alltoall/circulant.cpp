// Circulant all-to-all: Träff's reduce-scatter with concatenation as its operator. In round k,
// whose skip is s_k, a block that still has to travel i ranks moves s_k ranks further if the
// reduce-scatter would send block i in that round. The number of rounds is that of the
// reduce-scatter: ceil(lg p) with halving or doubling skips.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), section 4. Blocks are numbered by distance. A copy, which takes no time unless --copy-cost
// is given, unpacks the received blocks.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/patterns/travelling_blocks.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

struct Hop {
  std::uint32_t skip = 0;
  std::vector<BlockPair> blocks;  // numbered by their distance at the start
};

std::vector<Hop> hops(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  std::vector<std::uint32_t> left(p);  // number of ranks that each block still has to travel
  for (std::uint32_t block = 0; block < p; ++block) {
    left[block] = block;
  }
  std::vector<Hop> hops;
  std::vector<std::uint8_t> travels(p);
  for (const CirculantRound& round : circulant_rounds(circulant_skips(problem.skips, p), p)) {
    travels.assign(p, 0);
    for_each_index(round, [&](std::uint32_t i) { travels[i] = 1; });
    Hop hop{round.skip, {}};
    for (std::uint32_t block = 1; block < p; ++block) {
      if (travels[left[block]] != 0) {
        left[block] -= round.skip;
        hop.blocks.push_back({block, block});
      }
    }
    hops.push_back(std::move(hop));
  }
  return hops;
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  double volume = 0;
  double rounds = 0;
  for (const Hop& hop : hops(problem)) {
    volume += static_cast<double>(hop.blocks.size());
    ++rounds;
  }
  const double n = static_cast<double>(problem.bytes);
  const double moved = n / problem.ranks * volume;
  return rounds * prices.alpha_s + moved * prices.beta_s_per_byte +
         (n + moved) * prices.copy_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::vector<Hop> route = hops(problem);
  builder.reserve((2 * route.size() + 1) * p, 6 * route.size() * p + p);
  Rounds rounds(builder);
  TravellingBlocks travel(rounds, p);
  for (const Hop& hop : route) {
    travel.hop(hop.skip, hop.blocks);
  }
}

}  // namespace

extern const Algorithm circulant{
    .collective = Collective::alltoall,
    .name = "circulant",
    .idea = "the circulant reduce-scatter with concatenation as its operator",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, section 4",
    .cost =
        "q alpha + n/p (number of blocks that a rank sends) beta, with q rounds; a block is sent "
        "once for each skip in its distance",
    .options = bit(Option::skips),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoall
