// Scatter-reduce-gather over k-nomial exchanges: ranks count from the root and are numbers whose
// digits are of base K, the last of a base c that may be less; in phase i those that differ in
// digit i cut what they still have into parts, one for each of them, exchange and combine them, all
// at once; then parts are gathered towards the root, the last digit first. The fewer than K^m ranks
// that are too many for c K^m give their vectors to the rank before them first. Rabenseifner's is
// K = 2.
//
// Source: UCC, src/components/tl/ucp/reduce/reduce_srg_knomial.c, gather/gather_knomial.c and
// src/coll_patterns/sra_knomial.h (KN_PATTERN_GATHERX). Its radix is chosen for the machine, 4 by
// default. UCC cuts every part anew: where the ranks do not divide the vector, its messages differ
// by a few elements.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::reduce {

namespace {

// The gather brings the root as much, in as many messages, as an allgather brings everyone.
using Shape = DigitShape<kRadix4, KaryHypercube::Extras::after_proxy, emit_digit_halving_reduce,
                         digit_halving_allreduce_s, nullptr>;

}  // namespace

extern constinit const Algorithm srg_knomial = Shape::algorithm({
    .collective = Collective::reduce,
    .name = "srg_knomial",
    .idea =
        "a reduce-scatter among ranks that differ in one digit of base K, the last of a smaller "
        "base, and a gather in reverse",
    .source = "UCC tl/ucp reduce_srg_knomial",
    .cost = "2 (m (K - 1) + c - 1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = c K^m, c < K",
    .keeps_order = at_root_0,
    .order_kept = "root 0",
});

}  // namespace tutti::inline schedules::reduce
