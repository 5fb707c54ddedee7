// Recursive multiplying allreduce. Let K^m be the largest power of K (--radix, 2 by default) up to
// p. The first K^m ranks are numbered in base K. In phase i those that differ in digit i exchange
// their whole vectors, K - 1 messages in each direction at once, and combine them. Each of the
// other ranks is assigned to one of the first K^m ranks, in turn. It first sends its vector to that
// rank, and receives the result from it at the end. With fewer than K ranks, all ranks send their
// vectors to rank 0.
//
// Source: MPICH 4.3, src/mpi/coll/allreduce/allreduce_intra_recursive_multiplying.c, which requires
// operators that commute if p is not a power of K.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

using Shape = DigitAllreduce<kRadix2, KaryHypercube::Extras::round_robin>;

// If there are extra ranks, rank 0 combines its vector with those of its extras first. This skips
// rank 1, unless rank 1 is an extra, too.
bool keeps_order(const Problem& problem) {
  const KaryHypercube cube = Shape::cube_of(problem);
  return cube.extra_ranks() == 0 || cube.base_ranks() == 1;
}

std::string_view same_as(const Problem& problem) {
  const KaryHypercube cube = Shape::cube_of(problem);
  if (cube.extra_ranks() > 0) {
    return "";
  }
  return cube.radix() == 2 ? "recursive_doubling" : "recursive_exchange";
}

}  // namespace

extern constinit const Algorithm recursive_multiplying = Shape::algorithm({
    .collective = Collective::allreduce,
    .name = "recursive_multiplying",
    .idea = "the first K^m ranks exchange and combine whole vectors, digit by digit; the other "
            "ranks first send their vectors to these, and get the result at the end",
    .source = "MPICH 4.3 allreduce_intra_recursive_multiplying",
    .cost =
        "m (K - 1)(alpha + n beta + n gamma) for p = K^m; (m (K - 1) + 2 i)(alpha + n beta) + (m "
        "(K - 1) + i) n gamma for p = (i + 1) K^m",
    .keeps_order = keeps_order,
    .order_kept = "p = K^m, or p < K",
    .layout = one_block,
    .same_as = same_as,
});

}}}  // namespace tutti::schedules::allreduce
