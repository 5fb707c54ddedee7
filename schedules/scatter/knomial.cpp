// K-nomial scatter, the k-nomial gather in reverse. Ranks are numbered relative to the root, in
// base K (--radix). There is a phase for each digit, the highest digit first. In the phase of a
// digit, each rank that already has blocks sends each rank that differs from it only in this digit
// all blocks of the receiver's subtree, K - 1 messages at once. With K = 2, this is the binomial
// scatter.
//
// Source: the tree of UCC's gather (src/components/tl/ucp/gather/gather_knomial.c), whose default
// is K = 4. UCC's scatter_knomial.c is a stage of UCC's broadcast, and leaves out extra ranks.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/kary_hypercube.hpp"
#include "schedules/patterns/knomial_tree.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace scatter {

namespace {

KnomialTree tree_of(const Problem& problem) {
  return {problem.ranks, problem.root, kRadix4.of(problem)};
}

// The time is that of the root: after a rank has received its blocks, it has no more to do than the
// root still has to do.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  return hop_messages(tree_of(problem).phases()) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const KnomialTree tree = tree_of(problem);
  const std::size_t most = most_hops(tree.phases());
  builder.reserve(p - 1, 2 * p * most);
  Phases phases(builder, most);
  for (std::size_t i = tree.phases().size(); i-- > 0;) {
    phases.next();
    tree.for_each_edge(tree.phases()[i], [&](const KnomialTree::Edge& edge) {
      const Rank to = tree.rank(edge.child);
      phases.comm(tree.rank(edge.parent), to, {{to, edge.subtree}, kWork, kWork}, edge.j - 1);
    });
  }
}

}  // namespace

extern const Algorithm knomial{
    .collective = Collective::scatter,
    .name = "knomial",
    .idea = "blocks of whole subtrees go down the k-nomial tree",
    .source = "the tree of UCC tl/ucp gather_knomial",
    .cost = "m (K - 1) alpha + (p-1)/p n beta for p = K^m",
    .options = bit(Option::radix),
    .own_numbers = {&kRadix4, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::scatter
