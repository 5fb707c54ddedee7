// Scatter-allgather over k-nomial exchanges: ranks count from the root and are numbers whose digits
// are of base K, the last of a base c that may be less. Phase by phase, those that have a part of
// the vector cut it for the ranks that differ from them in the next digit, and send them their
// parts, all at once; then, the last digit first, ranks that differ in one digit exchange what they
// have, except that nothing is sent to whom it came from. The fewer than K^m ranks that are too
// many for c K^m get the vector from the rank before them at the end.
//
// Source: UCC, src/components/tl/ucp/bcast/bcast_sag_knomial.c, scatter/scatter_knomial.c and
// src/coll_patterns/sra_knomial.h (KN_PATTERN_ALLGATHERX). Its radix is chosen for the machine; 4
// here. UCC cuts every part anew: where the ranks do not divide the vector, its messages differ by
// a few elements. Who waits for a port in the allgather depends on when the scatter reached it:
// there is no closed form.
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
    .idea =
        "a scatter and an allgather among ranks that differ in one digit of base K, the last of a "
        "smaller base",
    .source = "UCC tl/ucp bcast_sag_knomial",
    .cost = "",
});

}  // namespace tutti::inline schedules::bcast
