// Bruck's allgather: at level l, rank r sends the K^l blocks that it has, or those of them that the
// receiver lacks, to the ranks r + K^l, r + 2 K^l, ..., r + (K - 1) K^l, all at once. K is --radix,
// 2 by default. The algorithm works for any p.
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; [schedule document] ("Bruck"), where rank n also
// sends to rank n + 2^l. MPI libraries send in the other direction, as allgather/bruck_mirrored
// does.
#include "schedules/patterns/bruck_allgather.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

extern constinit const Algorithm bruck = BruckAllgather<Towards::higher>::algorithm({
    .collective = Collective::allgather,
    .name = "bruck",
    .idea = "in round l rank r sends its K^l blocks to the ranks r + j K^l, j < K",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; [schedule document]",
    .cost =
        "ceil(lg p) alpha + (p-1)/p n beta for K = 2; m (K - 1) alpha + (p-1)/p n beta for p = K^m",
});

}}}  // namespace tutti::schedules::allgather
