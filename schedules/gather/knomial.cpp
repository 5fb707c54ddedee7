// K-nomial gather. Ranks are numbered relative to the root, in base K (--radix). In phase i, each
// rank whose lowest i digits are 0 and whose next digit is not 0 sends all blocks of its subtree to
// the rank that has 0 in place of this digit. Each rank receives up to K - 1 messages at once. With
// K = 2, this is the binomial gather, except that the blocks of a subtree that wraps around rank 0
// go to the root in two messages, because they are two pieces of the result.
//
// Source: UCC, src/components/tl/ucp/gather/gather_knomial.c, whose default is K = 4.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/kary_hypercube.hpp"
#include "schedules/patterns/knomial_tree.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace gather {

namespace {

KnomialTree tree_of(const Problem& problem) {
  return {problem.ranks, problem.root, kRadix4.of(problem)};
}

// The time is that of the root: when the root is done with a phase, so are its children.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const KnomialTree tree = tree_of(problem);
  const double p = problem.ranks;
  return (hop_messages(tree.phases()) + (tree.root_has_wrapped_child() ? 1 : 0)) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const KnomialTree tree = tree_of(problem);
  const std::size_t most = std::size_t{most_hops(tree.phases())} + 1;
  builder.reserve(std::size_t{p - 1} + (tree.root_has_wrapped_child() ? 1 : 0), 2 * p * most);
  Phases phases(builder, most);
  for (const HopPhase& phase : tree.phases()) {
    phases.next();
    tree.for_each_edge(phase, [&](const KnomialTree::Edge& edge) {
      const Rank from = tree.rank(edge.child);
      const std::uint32_t segment = 2 * (edge.j - 1);
      const std::uint32_t first = edge.parent == 0 ? tree.before_rank_0(edge) : edge.subtree;
      phases.comm(from, tree.rank(edge.parent), {{from, first}, kWork, kWork}, segment);
      if (first < edge.subtree) {
        phases.comm(from, problem.root, {{0, edge.subtree - first}, kWork, kWork}, segment + 1);
      }
    });
  }
}

}  // namespace

extern const Algorithm knomial{
    .collective = Collective::gather,
    .name = "knomial",
    .idea = "blocks of whole subtrees go up the k-nomial tree",
    .source = "UCC tl/ucp gather_knomial",
    .cost =
        "m (K - 1) alpha + (p-1)/p n beta for p = K^m, and alpha more if a subtree wraps around "
        "rank 0",
    .options = bit(Option::radix),
    .own_numbers = {&kRadix4, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::gather
