// Scatter-reduce-allgather over k-nomial exchanges: ranks are numbers whose digits are of base K,
// the last of a base c that may be less; in phase i those that differ in digit i cut what they
// still have into parts, one for each of them, exchange and combine them, all at once; then they
// take the same exchanges in reverse, and gather the parts. The fewer than K^m ranks that are too
// many for c K^m give their vectors to the rank before them first, and get the result from it at
// the end. Rabenseifner's is K = 2.
//
// Source: UCC, src/components/tl/ucp/allreduce/allreduce_sra_knomial.c and
// src/coll_patterns/sra_knomial.h. Its radix is chosen for the machine; 4 here. UCC cuts every part
// anew: where the ranks do not divide the vector, its messages differ by a few elements.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::allreduce {

namespace {

using Shape = DigitShape<kRadix4, KaryHypercube::Extras::after_proxy, emit_digit_halving_allreduce,
                         digit_halving_allreduce_s, digit_symmetry_of_even_blocks>;

}  // namespace

extern constinit const Algorithm sra_knomial = Shape::algorithm({
    .collective = Collective::allreduce,
    .name = "sra_knomial",
    .idea = "a reduce-scatter and an allgather among ranks that differ in one digit of base K, the "
            "last of a smaller base",
    .source = "UCC tl/ucp allreduce_sra_knomial",
    .cost = "2 (m (K - 1) + c - 1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = c K^m, c < K",
    .keeps_order = always,
    .order_kept = "always",
});

}  // namespace tutti::inline schedules::allreduce
