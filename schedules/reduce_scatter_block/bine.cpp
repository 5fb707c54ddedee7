// Bine reduce-scatter of equal-sized blocks.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_reduce_scatter.c,
// reduce_scatter_bine_block_by_block_any_even, which sends each block in a message of its own.
#include "schedules/patterns/bine.hpp"

#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm bine;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm bine = AsIn<reduce_scatter::bine>::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "bine",
    .idea = "partners at distance 1, 1, 3, 5, 11, ..., on alternating sides, send each other the "
            "half of their blocks that the receiver keeps",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "ceil(lg p) alpha + (p-1)/p n (beta + gamma)",
    .order_kept = "p <= 4",
    .limits = kOddRanksLimits,
});

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
