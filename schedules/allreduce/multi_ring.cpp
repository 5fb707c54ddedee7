// Ring allreduce over several rings in parallel, such as those that NCCL runs in its channels; by
// default, over the ring in both directions.
//
// Source: see patterns/multi_ring.hpp.
#include "schedules/patterns/multi_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

extern constinit const Algorithm multi_ring = MultiRingOf<true, true>::algorithm({
    .collective = Collective::allreduce,
    .name = "multi_ring",
    .idea = "several rings in parallel, each with its part of every block; by default the ring in "
            "both directions",
    .source = "NCCL graph/connect.cc, device/all_reduce.h",
    .cost = "",
});

}}}  // namespace tutti::schedules::allreduce
