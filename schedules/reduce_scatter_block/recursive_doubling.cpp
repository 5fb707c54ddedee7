// Recursive doubling reduce-scatter of equal blocks: partners exchange all blocks except those of
// the sender's group. The order of ranks is kept.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter_block.c
// (ompi_coll_base_reduce_scatter_block_intra_recursivedoubling); MPICH 4.0,
// src/mpi/coll/reduce_scatter_block/reduce_scatter_block_intra_recursive_doubling.c.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm recursive_doubling;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm recursive_doubling =
    AsIn<reduce_scatter::recursive_doubling>::algorithm({
        .collective = Collective::reduce_scatter_block,
        .name = "recursive_doubling",
        .idea = "partners at distance 1, 2, 4, ... exchange and combine all blocks except those of "
                "the sender's group",
        .source = "Open MPI 4.1 and MPICH 4.0, reduce_scatter_block_intra_recursivedoubling and "
                  "_recursive_doubling",
        .cost = "lg p alpha + (lg p - (p-1)/p) n (beta + gamma) for p = p'",
        .order_kept = "always",
        .symmetry = AsIn<reduce_scatter::recursive_doubling>::symmetry,
    });

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
