// NCCL's ring reduce-scatter: in every channel, the chunks of each rank's block are reduced once
// around the ring and end at this rank.
//
// Source: NCCL 2.30.7, src/device/reduce_scatter.h (see schedules/patterns/nccl_ring.hpp).
#include "schedules/patterns/nccl_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

extern constinit const Algorithm nccl_ring = nccl_ring_algorithm<NcclRing>({
    .collective = Collective::reduce_scatter,
    .name = "nccl_ring",
    .idea = "every channel reduces its part of each rank's block around a ring; the rings pass the "
            "GPUs of a node in NCCL's orders",
    .source = "NCCL graph/connect.cc, device/reduce_scatter.h",
    .cost = "",
});

}}}  // namespace tutti::schedules::reduce_scatter
