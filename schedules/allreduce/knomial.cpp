// Recursive k-nomial allreduce. Let K^m be the largest power of K (--radix) up to p, and c =
// floor(p / K^m). The algorithm numbers c K^m of the p ranks in base K; the highest digit is less
// than c. In phase i the ranks that differ in digit i exchange their whole vectors, all at once,
// and combine them. Each of the remaining ranks (fewer than K^m) first gives its vector to the rank
// before it, and gets the result from that rank at the end.
//
// Source: UCC, src/components/tl/ucp/allreduce/allreduce_knomial.c and
// src/coll_patterns/recursive_knomial.h. UCC chooses K for the machine; here K is 4 by default.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

using Shape = DigitAllreduce<kRadix4, KaryHypercube::Extras::after_proxy>;

}  // namespace

extern constinit const Algorithm knomial = Shape::algorithm({
    .collective = Collective::allreduce,
    .name = "knomial",
    .idea = "ranks that differ in one digit of base K (the last digit may have a smaller base) "
            "exchange and combine whole vectors",
    .source = "UCC tl/ucp allreduce_knomial",
    .cost = "(m (K - 1) + c - 1)(alpha + n beta + n gamma) for p = c K^m, c < K",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
});

}}}  // namespace tutti::schedules::allreduce
