// Pairwise reduce-scatter of equal blocks.
//
// Source: MPICH 4.0, src/mpi/coll/reduce_scatter_block/reduce_scatter_block_intra_pairwise.c.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm pairwise;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm pairwise = AsIn<reduce_scatter::pairwise>::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "pairwise",
    .idea = "in round k rank r sends its part of block r+k+1 directly to that block's owner",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "(p-1) alpha + (p-1)/p n (beta + gamma)",
    .symmetry = AsIn<reduce_scatter::pairwise>::symmetry,
    .has_alike_rounds_in_part = true,
});

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
