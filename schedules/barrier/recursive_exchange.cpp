// Recursive exchange barrier. Let K^m be the largest power of K (--radix, 2 by default) up to p.
// The algorithm numbers K^m of the p ranks in base K. In phase i the ranks that differ in digit i
// exchange signals, K - 1 in each direction at once. The other ranks first send a signal to a
// proxy, and receive one from the proxy at the end.
//
// Source: MPICH 4.1, src/mpi/coll/barrier/barrier_intra_recexch.c: an allreduce of an empty vector.
#include "schedules/patterns/recursive_exchange.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

using Shape = DigitBarrier<kRadix2, KaryHypercube::Extras::before_proxy>;

std::string_view same_as(const Problem& problem) {
  return Shape::cube_of(problem).radix() == 2 ? "recursive_doubling" : "";
}

}  // namespace

extern constinit const Algorithm recursive_exchange = Shape::algorithm({
    .collective = Collective::barrier,
    .name = "recursive_exchange",
    .idea = "ranks that differ in one digit of base K exchange signals",
    .source = "MPICH 4.1 barrier_intra_recexch",
    .cost = "m (K - 1) alpha for p = K^m; (m + 2)(K - 1) alpha for p = K^m + i (K - 1)",
    .layout = one_block,
    .same_as = same_as,
});

}}}  // namespace tutti::schedules::barrier
