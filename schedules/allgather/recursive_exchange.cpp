// Recursive exchange allgather, near ranks first. Let K^m be the largest power of K (--radix, 2 by
// default) up to p. The algorithm numbers K^m of the p ranks in base K. In phase i the ranks that
// differ in digit i exchange what they have (the blocks of all ranks with the same digits from
// digit i up), K - 1 messages in each direction at once. The other ranks first give their blocks to
// a proxy, which acts for up to K - 1 ranks just before it, and get all blocks from the proxy at
// the end. With K = 2, this is recursive doubling.
//
// Source: MPICH 4.1, src/mpi/coll/allgather/allgather_intra_recexch.c (recexch_doubling); in 4.0
// the non-blocking iallgather_tsp_recexch.c.
#include "schedules/patterns/recursive_exchange.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

using Shape = DigitAllgather<kRadix2, KaryHypercube::Extras::before_proxy>;

std::string_view same_as(const Problem& problem) {
  const KaryHypercube cube = Shape::cube_of(problem);
  return cube.radix() == 2 && cube.extra_ranks() == 0 ? "recursive_doubling" : "";
}

}  // namespace

extern constinit const Algorithm recursive_exchange = Shape::algorithm({
    .collective = Collective::allgather,
    .name = "recursive_exchange",
    .idea = "ranks that differ in one digit of base K exchange all they have, near ones first",
    .source = "MPICH 4.1 allgather_intra_recexch, distance doubling",
    .cost = "m (K - 1) alpha + (p-1)/p n beta for p = K^m",
    .layout = block_per_rank,
    .same_as = same_as,
});

}}}  // namespace tutti::schedules::allgather
