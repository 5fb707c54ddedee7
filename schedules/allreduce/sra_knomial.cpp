// Scatter-reduce-allgather over k-nomial exchanges. c K^m ranks are numbered in base K with m + 1
// digits; the highest digit may have a smaller base c. In phase i the ranks that differ in digit i
// cut what they still have into parts, one for each of them, exchange the parts all at once, and
// combine them. Then the same exchanges in reverse gather the parts. Each of the remaining ranks
// (fewer than K^m) first gives its vector to the rank before it, and gets the result from that rank
// at the end. K = 2 is Rabenseifner's algorithm.
//
// Source: UCC, src/components/tl/ucp/allreduce/allreduce_sra_knomial.c and
// src/coll_patterns/sra_knomial.h. UCC chooses the radix for the machine; the default here is 4.
// UCC cuts every part anew: if the vector cannot be divided evenly, its messages differ by a few
// elements from those here.
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
    .idea = "a reduce-scatter and an allgather among ranks that differ in one digit of base K (the "
            "last digit may have a smaller base)",
    .source = "UCC tl/ucp allreduce_sra_knomial",
    .cost = "2 (m (K - 1) + c - 1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = c K^m, c < K",
    .keeps_order = always,
    .order_kept = "always",
});

}  // namespace tutti::inline schedules::allreduce
