// Recursive k-nomial allreduce. Ranks are numbers whose digits have base K, except that the highest
// digit may have a smaller base c. In phase i the ranks that differ in digit i exchange their whole
// vectors, all at once, and combine them. The remaining ranks beyond c K^m, fewer than K^m, first
// give their vectors to the rank before them, and get the result from it at the end.
//
// Source: UCC, src/components/tl/ucp/allreduce/allreduce_knomial.c and
// src/coll_patterns/recursive_knomial.h. UCC chooses the radix for the machine; the default here is
// 4.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::allreduce {

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

}  // namespace tutti::inline schedules::allreduce
