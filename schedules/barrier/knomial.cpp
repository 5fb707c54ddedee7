// Recursive k-nomial barrier. Let K^m be the largest power of K (--radix) up to p, and c = floor(p
// / K^m). The algorithm numbers c K^m of the p ranks in base K; the highest digit is less than c.
// In phase i the ranks that differ in digit i exchange signals, all at once. Each of the remaining
// ranks (fewer than K^m) first sends a signal to the rank before it, and receives one from that
// rank at the end.
//
// Source: UCC, src/components/tl/ucp/barrier/barrier_knomial.c, whose default is K = 8, and
// src/coll_patterns/recursive_knomial.h.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

using Shape = DigitBarrier<kRadix8, KaryHypercube::Extras::after_proxy>;

}  // namespace

extern constinit const Algorithm knomial = Shape::algorithm({
    .collective = Collective::barrier,
    .name = "knomial",
    .idea = "ranks that differ in one digit of base K (the last digit may have a smaller base) "
            "exchange signals",
    .source = "UCC tl/ucp barrier_knomial",
    .cost = "(m (K - 1) + c - 1) alpha for p = c K^m, c < K",
    .layout = one_block,
});

}}}  // namespace tutti::schedules::barrier
