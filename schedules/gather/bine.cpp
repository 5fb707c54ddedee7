// Bine gather: blocks go up the tree of the Bine butterfly, near partners first; each rank sends
// those of its subtree.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_gather.c, gather_bine, for powers of two.
#include "schedules/patterns/bine.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti::inline schedules::gather {

namespace {

// Of other numbers of ranks another rank than the root may be the last one.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks != power_of_two_below(problem.ranks)) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return floor_log2(problem.ranks) * prices.alpha_s + share * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const BineTree tree(problem.ranks, problem.root);
  builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  std::vector<BlockPair> blocks;
  for (const auto& step : tree.subtrees()) {
    rounds.next();
    for (const BineTree::Parcel& subtree : step) {
      blocks.clear();
      for (const std::uint32_t relative : subtree.blocks) {
        blocks.push_back({tree.rank(relative), tree.rank(relative)});
      }
      rounds.comm(subtree.to, subtree.from, blocks, kWork, kWork);
    }
  }
}

}  // namespace

extern const Algorithm bine{
    .collective = Collective::gather,
    .name = "bine",
    .idea = "blocks of whole subtrees go up the tree of the Bine butterfly, near partners first",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "lg p alpha + (p-1)/p n beta for p = p'",
    .refusal = refuse_odd_ranks,
    .limits = kOddRanksLimits,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::gather
