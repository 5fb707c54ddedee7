// Circulant gather: the spanning tree towards the root that the skips make; a message carries the
// blocks of a whole subtree.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), section 4 (specialisation to the rooted problems).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/patterns/circulant_tree.hpp"

namespace tutti::inline schedules::gather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const auto rounds = CirculantTree(problem).rounds_of_root();
  if (!rounds) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return *rounds * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const CirculantTree tree(problem);
  builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  std::vector<BlockPair> blocks;
  for (std::size_t step = 0; step < tree.rounds(); ++step) {
    rounds.next();
    tree.for_each_edge(step, [&](Rank parent, Rank child, std::uint32_t relative) {
      tree.subtree_blocks(relative, blocks);
      rounds.comm(child, parent, blocks, kWork, kWork);
    });
  }
}

}  // namespace

extern const Algorithm circulant{
    .collective = Collective::gather,
    .name = "circulant",
    .idea = "blocks of whole subtrees go up the tree of a circulant graph",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, section 4",
    .cost =
        "q alpha + (p-1)/p n beta, q rounds: ceil(lg p) with halving or doubling skips; where the "
        "root takes part in all of them",
    .options = bit(Option::skips),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::gather
