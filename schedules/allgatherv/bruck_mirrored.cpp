// Bruck's allgather of blocks of any sizes, as MPI libraries run it: at level l rank r sends all
// its blocks, or those that the receiver lacks, to rank r - 2^l.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_allgatherv.c
// (ompi_coll_base_allgatherv_intra_bruck); MPICH 4.0,
// src/mpi/coll/allgatherv/allgatherv_intra_brucks.c.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm bruck_mirrored;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm bruck_mirrored = AsIn<allgather::bruck_mirrored>::algorithm({
    .collective = Collective::allgatherv,
    .name = "bruck_mirrored",
    .idea = "in round l rank r sends its 2^l blocks to rank r - 2^l",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; MPICH 4.0 and Open MPI 4.1",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta for equal blocks",
    .options = bit(Option::block_sizes),
    .symmetry = AsIn<allgather::bruck_mirrored>::symmetry,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
