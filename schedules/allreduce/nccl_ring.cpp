// NCCL's ring allreduce: in every channel, chunks are reduced once around the ring, and the results
// travel around it once more. The channels' rings pass the GPUs of a node in different orders.
//
// Source: NCCL 2.30.7, src/device/all_reduce.h (see schedules/patterns/nccl_ring.hpp).
#include "schedules/patterns/nccl_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

extern constinit const Algorithm nccl_ring = nccl_ring_algorithm<NcclRing>({
    .collective = Collective::allreduce,
    .name = "nccl_ring",
    .idea = "every channel runs the ring on its share, in chunks of two slices; the rings pass the "
            "GPUs of a node in NCCL's orders",
    .source = "NCCL graph/connect.cc, device/all_reduce.h",
    .cost = "",
});

}}}  // namespace tutti::schedules::allreduce
