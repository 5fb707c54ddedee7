// Recursive exchange reduce-scatter, far ranks first. Let K^m be the largest power of K (--radix, 2
// by default) up to p. The algorithm numbers K^m of the p ranks in base K. The ranks that differ in
// the highest digit send each other the blocks of all ranks that have the receiver's digit, K - 1
// messages in each direction at once, and combine them. Then the ranks that differ in the next
// lower digit do the same, and so on. The other ranks first give their vectors to a proxy, which
// acts for up to K - 1 ranks just before it, and get their blocks from the proxy at the end. With K
// = 2, this is recursive halving.
//
// Source: MPICH 4.0, src/mpi/coll/ireduce_scatter/ireduce_scatter_tsp_recexch.c, which calls this
// algorithm distance doubling and requires operators that commute. In a phase, each rank in MPICH
// exchanges with one rank after the other.
#include "schedules/patterns/recursive_exchange.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

using Shape = DigitReduceScatter<kRadix2, KaryHypercube::Extras::before_proxy>;

// Far ranks are combined before near ones, unless there is only one digit.
bool keeps_order(const Problem& problem) { return Shape::cube_of(problem).digits() <= 1; }

std::string_view same_as(const Problem& problem) {
  return Shape::cube_of(problem).radix() == 2 ? "recursive_halving" : "";
}

}  // namespace

extern constinit const Algorithm recursive_exchange = Shape::algorithm({
    .collective = Collective::reduce_scatter,
    .name = "recursive_exchange",
    .idea = "ranks that differ in one digit of base K exchange and combine the parts that the "
            "others keep, far ones first",
    .source = "MPICH 4.0 ireduce_scatter_tsp_recexch",
    .cost = "m (K - 1) alpha + (p-1)/p n (beta + gamma) for p = K^m",
    .keeps_order = keeps_order,
    .order_kept = "p < K^2",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
    .same_as = same_as,
});

}}}  // namespace tutti::schedules::reduce_scatter
