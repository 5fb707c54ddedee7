// Recursive halving of equal blocks: partners exchange the half that the other goes on with.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter_block.c
// (ompi_coll_base_reduce_scatter_block_intra_recursivehalving); MPICH 4.0,
// src/mpi/coll/reduce_scatter_block/reduce_scatter_block_intra_recursive_halving.c.
#include "schedules/patterns/as_in.hpp"

namespace tutti::inline schedules {

namespace reduce_scatter {
extern const Algorithm recursive_halving;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern const Algorithm recursive_halving{
    .collective = Collective::reduce_scatter_block,
    .name = "recursive_halving",
    .idea = "partners at distance p/2, p/4, ... exchange the half that the other goes on with",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "lg p alpha + (p-1)/p n (beta + gamma) for p = p'",
    .keeps_order = AsIn<reduce_scatter::recursive_halving>::keeps_order,
    .order_kept = "p <= 3",
    .options = bit(Option::cuts),
    .layout = AsIn<reduce_scatter::recursive_halving>::layout,
    .exact_s = AsIn<reduce_scatter::recursive_halving>::exact_s,
    .symmetry = AsIn<reduce_scatter::recursive_halving>::symmetry,
    .emit = AsIn<reduce_scatter::recursive_halving>::emit,
    .one_shape = AsIn<reduce_scatter::recursive_halving>::one_shape,
};

}  // namespace reduce_scatter_block

}  // namespace tutti::inline schedules
