// Scatter-allgather over k-nomial exchanges. Let K^m be the largest power of K (--radix) up to p,
// and c = floor(p / K^m). The algorithm numbers c K^m of the p ranks, relative to the root, in base
// K; the highest digit is less than c. In each phase, every rank that holds a part of the vector
// cuts this part, and sends one piece to each rank that differs from it in the next digit, all at
// once. Then, from the highest digit down, ranks that differ in one digit exchange what they hold,
// but no rank gets back what it sent. At the end, each of the remaining ranks (fewer than K^m) gets
// the whole vector from the rank before it.
//
// Source: UCC, src/components/tl/ucp/bcast/bcast_sag_knomial.c, scatter/scatter_knomial.c and
// src/coll_patterns/sra_knomial.h (KN_PATTERN_ALLGATHERX). UCC chooses K for the machine; here K is
// 4 by default. UCC cuts every part anew: if the vector cannot be divided evenly, its messages
// differ by a few elements from those here. Waiting times for ports in the allgather depend on when
// the scatter reached each rank, so there is no closed form.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

using Shape = DigitShape<kRadix4, KaryHypercube::Extras::after_proxy, emit_digit_scatter_allgather,
                         nullptr, nullptr>;

}  // namespace

extern constinit const Algorithm sag_knomial = Shape::algorithm({
    .collective = Collective::bcast,
    .name = "sag_knomial",
    .idea = "a scatter and an allgather among ranks that differ in one digit of base K (the last "
            "digit may have a smaller base)",
    .source = "UCC tl/ucp bcast_sag_knomial",
    .cost = "",
});

}}}  // namespace tutti::schedules::bcast
