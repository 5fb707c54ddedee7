// Recursive k-nomial allgather. Let K^m be the largest power of K (--radix) up to p, and c =
// floor(p / K^m). The algorithm numbers c K^m of the p ranks in base K; the highest digit is less
// than c. In phase i the ranks that differ in digit i exchange what they have, all at once. Digit 0
// comes first. Each of the remaining ranks (fewer than K^m) first gives its block to the rank
// before it, and gets all blocks from that rank at the end.
//
// Source: UCC, src/components/tl/ucp/allgather/allgather_knomial.c and
// src/coll_patterns/recursive_knomial.h and sra_knomial.h (KN_PATTERN_ALLGATHER). UCC chooses the
// radix for the machine; the default here is 4.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

using Shape = DigitAllgather<kRadix4, KaryHypercube::Extras::after_proxy>;

}  // namespace

extern constinit const Algorithm knomial = Shape::algorithm({
    .collective = Collective::allgather,
    .name = "knomial",
    .idea = "ranks that differ in one digit of base K (the last digit may have a smaller base) "
            "exchange all they have",
    .source = "UCC tl/ucp allgather_knomial",
    .cost = "(m (K - 1) + c - 1) alpha + (p-1)/p n beta for p = c K^m, c < K",
    .layout = block_per_rank,
});

}}}  // namespace tutti::schedules::allgather
