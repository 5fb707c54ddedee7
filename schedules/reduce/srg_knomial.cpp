// Scatter-reduce-gather over k-nomial exchanges. Let K^m be the largest power of K (--radix) up to
// p, and c = floor(p / K^m). The algorithm numbers c K^m of the p ranks, relative to the root, in
// base K; the highest digit is less than c. In phase i the ranks that differ in digit i cut the
// part of the vector that they still have into pieces, one for each of these ranks. They exchange
// the pieces, all at once, and each rank combines the pieces that it receives with its own. Then
// the results are gathered towards the root, the highest digit first. Each of the remaining ranks
// (fewer than K^m) first gives its vector to the rank before it. With K = 2, this is Rabenseifner's
// algorithm.
//
// Source: UCC, src/components/tl/ucp/reduce/reduce_srg_knomial.c, gather/gather_knomial.c and
// src/coll_patterns/sra_knomial.h (KN_PATTERN_GATHERX). UCC chooses K for the machine; here K is 4
// by default. UCC cuts every part anew: if the vector cannot be divided evenly, its messages differ
// by a few elements from those here.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

// The gather brings the root as many bytes and messages as an allgather brings every rank.
using Shape = DigitShape<kRadix4, KaryHypercube::Extras::after_proxy, emit_digit_halving_reduce,
                         digit_halving_allreduce_s, nullptr>;

}  // namespace

extern constinit const Algorithm srg_knomial = Shape::algorithm({
    .collective = Collective::reduce,
    .name = "srg_knomial",
    .idea = "a reduce-scatter among ranks that differ in one digit of base K (the last digit may "
            "have a smaller base), and a gather in reverse",
    .source = "UCC tl/ucp reduce_srg_knomial",
    .cost = "2 (m (K - 1) + c - 1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = c K^m, c < K",
    .keeps_order = at_root_0,
    .order_kept = "root 0",
});

}}}  // namespace tutti::schedules::reduce
