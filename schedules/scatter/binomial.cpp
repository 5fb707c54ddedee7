// Binomial scatter: the root sends each of its children in the binomial tree all blocks of the
// child's subtree, the largest subtree first. The children do the same. Ranks are numbered relative
// to the root.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; Open MPI coll/base
// scatter_intra_binomial.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace scatter {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  emit_binomial_scatter(rounds, BinomialTree(problem.ranks, problem.root));
}

}  // namespace

extern const Algorithm binomial{
    .collective = Collective::scatter,
    .name = "binomial",
    .idea = "blocks of whole subtrees go down the binomial tree",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta",
    .layout = block_per_rank,
    .exact_s = binomial_rooted_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::scatter
