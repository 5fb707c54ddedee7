// Ring allgather of blocks of any sizes: in step k rank r forwards block r-k to rank r+1. Every
// step takes as long as its largest block, so one large block makes p-1 long steps.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_allgatherv.c
// (ompi_coll_base_allgatherv_intra_ring); MPICH 4.0,
// src/mpi/coll/allgatherv/allgatherv_intra_ring.c, which also cuts large blocks into segments.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm ring;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm ring = AsIn<allgather::ring>::algorithm({
    .collective = Collective::allgatherv,
    .name = "ring",
    .idea = "each block travels once around the ring, whatever its size",
    .source = "Open MPI coll/base allgatherv_intra_ring; MPICH allgatherv_intra_ring",
    .cost = "(p-1) alpha + (p-1)/p n beta for equal blocks",
    .options = bit(Option::block_sizes),
    .symmetry = AsIn<allgather::ring>::symmetry,
    .has_alike_rounds = true,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
