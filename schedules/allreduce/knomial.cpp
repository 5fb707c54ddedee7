// Recursive k-nomial allreduce: ranks are numbers whose digits are of base K, the last of a base c
// that may be less; in phase i those that differ in digit i exchange their whole vectors, all at
// once, and combine them. The fewer than K^m ranks that are too many for c K^m give their vectors
// to the rank before them first, and get the result from it at the end.
//
// Source: UCC, src/components/tl/ucp/allreduce/allreduce_knomial.c and
// src/coll_patterns/recursive_knomial.h. Its radix is chosen for the machine; 4 here.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::allreduce {

namespace {

using Shape = DigitAllreduce<kRadix4, KaryHypercube::Extras::after_proxy>;

}  // namespace

extern constinit const Algorithm knomial = Shape::algorithm({
    .collective = Collective::allreduce,
    .name = "knomial",
    .idea = "ranks that differ in one digit of base K, the last of a smaller base, exchange and "
            "combine whole vectors",
    .source = "UCC tl/ucp allreduce_knomial",
    .cost = "(m (K - 1) + c - 1)(alpha + n beta + n gamma) for p = c K^m, c < K",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
});

}  // namespace tutti::inline schedules::allreduce
