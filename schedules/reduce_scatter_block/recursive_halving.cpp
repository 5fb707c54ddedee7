// Recursive halving reduce-scatter of equal blocks: partners exchange halves of their blocks. Each
// rank receives the half that it keeps.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter_block.c
// (ompi_coll_base_reduce_scatter_block_intra_recursivehalving); MPICH 4.0,
// src/mpi/coll/reduce_scatter_block/reduce_scatter_block_intra_recursive_halving.c.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm recursive_halving;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm recursive_halving =
    AsIn<reduce_scatter::recursive_halving>::algorithm({
        .collective = Collective::reduce_scatter_block,
        .name = "recursive_halving",
        .idea = "partners at distance p/2, p/4, ... send each other the half of their blocks that "
                "the receiver keeps",
        .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
        .cost = "lg p alpha + (p-1)/p n (beta + gamma) for p = p'",
        .order_kept = "p <= 3",
        .options = bit(Option::cuts),
        .symmetry = AsIn<reduce_scatter::recursive_halving>::symmetry,
    });

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
