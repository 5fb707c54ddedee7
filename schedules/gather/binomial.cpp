// Binomial gather: at level l each rank that is an odd multiple of 2^l sends all blocks of its
// subtree to the rank that is lower by 2^l. Ranks are numbered relative to the root.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; Open MPI coll/base
// gather_intra_binomial.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace gather {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  emit_binomial_gather(rounds, BinomialTree(problem.ranks, problem.root));
}

}  // namespace

extern const Algorithm binomial{
    .collective = Collective::gather,
    .name = "binomial",
    .idea = "blocks of whole subtrees go up the binomial tree",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta",
    .layout = block_per_rank,
    .exact_s = binomial_rooted_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::gather
