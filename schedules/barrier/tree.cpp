// Tree barrier: signals go up the binomial tree to rank 0, and down again.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_barrier.c, barrier_intra_tree.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return 2.0 * ceil_log2(problem.ranks) * prices.alpha_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::size_t messages = 2 * std::size_t{problem.ranks - 1};
  builder.reserve(messages, 4 * messages);
  const BinomialTree tree(problem.ranks, 0);
  Rounds rounds(builder);
  for (std::uint32_t bit = 0; bit < tree.levels(); ++bit) {
    rounds.next();
    tree.for_each_edge(bit, [&](Rank parent, Rank child, std::uint32_t) {
      rounds.comm(child, parent, {{0, 1}, kWork, kScratch});
    });
  }
  for (std::uint32_t bit = tree.levels(); bit-- > 0;) {
    rounds.next();
    tree.for_each_edge(bit, [&](Rank parent, Rank child, std::uint32_t) {
      rounds.comm(parent, child, {{0, 1}, kWork, kScratch});
    });
  }
}

}  // namespace

extern const Algorithm tree{
    .collective = Collective::barrier,
    .name = "tree",
    .idea = "signals go up the binomial tree to rank 0, and down again",
    .source = "Open MPI coll/base barrier_intra_tree",
    .cost = "2 ceil(lg p) alpha",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
};

}}}  // namespace tutti::schedules::barrier
