// Recursive exchange allreduce. Let K^m be the largest power of K (--radix, 2 by default) up to p.
// The algorithm numbers K^m of the p ranks in base K. In phase i the ranks that differ in digit i
// exchange their whole vectors, K - 1 messages in each direction at once, and combine them. The
// other ranks first give their vectors to a proxy, which acts for up to K - 1 ranks just before it,
// and get the result from the proxy at the end. With K = 2, this is recursive doubling.
//
// Source: MPICH 4.1, src/mpi/coll/allreduce/allreduce_intra_recexch.c; in 4.0 the non-blocking
// iallreduce_tsp_recexch.c. The order of ranks is kept, as in MPICH for operators that require it.
#include "schedules/patterns/recursive_exchange.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

using Shape = DigitAllreduce<kRadix2, KaryHypercube::Extras::before_proxy>;

std::string_view same_as(const Problem& problem) {
  return Shape::cube_of(problem).radix() == 2 ? "recursive_doubling" : "";
}

}  // namespace

extern constinit const Algorithm recursive_exchange = Shape::algorithm({
    .collective = Collective::allreduce,
    .name = "recursive_exchange",
    .idea = "ranks that differ in one digit of base K exchange and combine whole vectors",
    .source = "MPICH 4.1 allreduce_intra_recexch",
    .cost =
        "m (K - 1)(alpha + n beta + n gamma) for p = K^m; (m + 2)(K - 1)(alpha + n beta) + (m + "
        "1)(K - 1) n gamma for p = K^m + i (K - 1)",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
    .same_as = same_as,
});

}}}  // namespace tutti::schedules::allreduce
