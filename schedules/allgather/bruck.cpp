// Bruck's allgather: at level l rank r sends its K^l blocks, or those that the receiver lacks, to
// the ranks r + K^l, r + 2 K^l, ..., r + (K - 1) K^l, all at once, for any p. K is 2 by default
// (--radix).
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; [schedule document] ("Bruck"), which also sends
// from n to n + 2^l. MPI libraries send in the other direction: allgather/bruck_mirrored.
#include "schedules/patterns/bruck_allgather.hpp"

namespace tutti::inline schedules::allgather {

extern constinit const Algorithm bruck = BruckAllgather<Towards::higher>::algorithm({
    .collective = Collective::allgather,
    .name = "bruck",
    .idea = "in round l rank r sends its K^l blocks to the ranks r + j K^l, j < K",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; [schedule document]",
    .cost =
        "ceil(lg p) alpha + (p-1)/p n beta for K = 2; m (K - 1) alpha + (p-1)/p n beta for p = K^m",
});

}  // namespace tutti::inline schedules::allgather
