// Ring reduce-scatter over several rings in parallel; by default, over the ring in both directions.
//
// Source: see patterns/multi_ring.hpp.
#include "schedules/patterns/multi_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

extern constinit const Algorithm multi_ring = MultiRingOf<true, false>::algorithm({
    .collective = Collective::reduce_scatter,
    .name = "multi_ring",
    .idea = "several rings in parallel, each with its part of every block; by default the ring in "
            "both directions",
    .source = "NCCL graph/connect.cc, device/reduce_scatter.h",
    .cost = "",
    .options = bit(Option::block_sizes),
});

}}}  // namespace tutti::schedules::reduce_scatter
