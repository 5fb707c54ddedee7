// NCCL's ring allgather: in every channel, each rank sends its block around the ring in chunks.
//
// Source: NCCL 2.30.7, src/device/all_gather.h (see schedules/patterns/nccl_ring.hpp).
#include "schedules/patterns/nccl_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

extern constinit const Algorithm nccl_ring = nccl_ring_algorithm<NcclRing>({
    .collective = Collective::allgather,
    .name = "nccl_ring",
    .idea = "every channel sends its part of each rank's block around a ring; the rings pass the "
            "GPUs of a node in NCCL's orders",
    .source = "NCCL graph/connect.cc, device/all_gather.h",
    .cost = "",
});

}}}  // namespace tutti::schedules::allgather
