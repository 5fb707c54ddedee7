// Scatter-allgather over k-nomial exchanges. Ranks count from the root and are numbers whose digits
// have base K, except that the highest digit may have a smaller base c. Phase by phase, the ranks
// that have a part of the vector cut it for the ranks that differ from them in the next digit, and
// send them their parts, all at once. Then, the highest digit first, the ranks that differ in one
// digit exchange what they have, except that nothing is sent back to the rank it came from. The
// remaining ranks beyond c K^m, fewer than K^m, get the vector from the rank before them at the
// end.
//
// Source: UCC, src/components/tl/ucp/bcast/bcast_sag_knomial.c, scatter/scatter_knomial.c and
// src/coll_patterns/sra_knomial.h (KN_PATTERN_ALLGATHERX). UCC chooses the radix for the machine;
// the default here is 4. UCC cuts every part anew: if the vector cannot be divided evenly, its
// messages differ by a few elements from those here. Waiting times for ports in the allgather
// depend on when the scatter reached each rank, so there is no closed form.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::bcast {

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

}  // namespace tutti::inline schedules::bcast
