// Ring reduce-scatter of equal blocks: each block is reduced once around the ring, up to its owner.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter.c, whose ring also handles
// equal blocks. NCCL's reduce-scatter is the same.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm ring;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm ring = AsIn<reduce_scatter::ring>::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "ring",
    .idea = "each block is reduced once around the ring and ends at its owner",
    .source = "Open MPI coll/base reduce_scatter_intra_ring",
    .cost = "(p-1) alpha + (p-1)/p n (beta + gamma)",
    .symmetry = AsIn<reduce_scatter::ring>::symmetry,
    .has_alike_rounds = true,
});

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
