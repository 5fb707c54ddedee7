// Recursive k-nomial barrier: ranks are numbers whose digits are of base K, the last of a base c
// that may be less; in phase i those that differ in digit i exchange signs, all at once. The fewer
// than K^m ranks that are too many for c K^m sign to the rank before them first, and hear from it
// at the end.
//
// Source: UCC, src/components/tl/ucp/barrier/barrier_knomial.c, whose default is K = 8, and
// src/coll_patterns/recursive_knomial.h.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::barrier {

namespace {

using Shape = DigitBarrier<kRadix8, KaryHypercube::Extras::after_proxy>;

}  // namespace

extern constinit const Algorithm knomial = Shape::algorithm({
    .collective = Collective::barrier,
    .name = "knomial",
    .idea = "ranks that differ in one digit of base K, the last of a smaller base, exchange signs",
    .source = "UCC tl/ucp barrier_knomial",
    .cost = "(m (K - 1) + c - 1) alpha for p = c K^m, c < K",
    .layout = one_block,
});

}  // namespace tutti::inline schedules::barrier
