// Reduce-scatter of equal blocks in two steps: a reduction to rank 0, then a scatter from it. Both
// use the binomial tree by default; --parts selects other algorithms.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter_block.c
// (ompi_coll_base_reduce_scatter_block_basic_linear), which calls the reduction and the scatter
// that are selected for the communicator.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/composition.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter_block {

extern constinit const Algorithm basic_linear = ComposedAlgorithm::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "basic_linear",
    .idea = "reduce to rank 0, then scatter from it; both over binomial trees, unless $parts "
            "selects other algorithms",
    .source = "Open MPI coll/base reduce_scatter_block_basic_linear",
    .cost = "ceil(lg p)(2 alpha + n beta + n gamma) + (p-1)/p n beta over binomial trees",
    .order_kept = "$parts whose reduction keeps rank order, such as the default",
});

}}}  // namespace tutti::schedules::reduce_scatter_block
