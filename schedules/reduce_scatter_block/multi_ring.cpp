// Ring reduce-scatter of equal-sized blocks, over several rings in parallel.
//
// Source: see patterns/multi_ring.hpp.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm multi_ring;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm multi_ring = AsIn<reduce_scatter::multi_ring>::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "multi_ring",
    .idea = "several rings in parallel, each with its part of every block; by default the ring in "
            "both directions",
    .source = "NCCL graph/connect.cc, device/reduce_scatter.h",
    .cost = "",
    .options = bit(Option::channels),
    .own_numbers = {&kTwoChannels, 1},
    .has_alike_rounds = true,
});

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
