// Bruck's allgather as MPI libraries run it: at level l, rank r sends the K^l blocks that it has,
// or those of them that the receiver lacks, to the ranks r - K^l, r - 2 K^l, ..., r - (K - 1) K^l,
// all at once. K is --radix, 2 by default. The algorithm works for any p. It is the mirror image of
// allgather/bruck. Both take the same time if all ranks are equivalent, but different pairs of
// ranks communicate, which matters if some ranks share a node or a link.
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; MPICH 4.0,
// src/mpi/coll/allgather/allgather_intra_brucks.c; Open MPI 4.1,
// ompi/mca/coll/base/coll_base_allgather.c (ompi_coll_base_allgather_intra_bruck). With a radix:
// MPICH 4.1, allgather_intra_k_brucks.c; in 4.0 the non-blocking iallgather_tsp_brucks.c; Open MPI
// main (ompi_coll_base_allgather_intra_k_bruck).
#include "schedules/patterns/bruck_allgather.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

extern constinit const Algorithm bruck_mirrored = BruckAllgather<Towards::lower>::algorithm({
    .collective = Collective::allgather,
    .name = "bruck_mirrored",
    .idea = "in round l rank r sends its K^l blocks to the ranks r - j K^l, j < K",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; MPICH 4.0 and Open MPI 4.1",
    .cost =
        "ceil(lg p) alpha + (p-1)/p n beta for K = 2; m (K - 1) alpha + (p-1)/p n beta for p = K^m",
});

}}}  // namespace tutti::schedules::allgather
