// NCCL's broadcast: in every channel, chunks go around the ring from the root to the rank before
// it.
//
// Source: NCCL 2.30.7, src/device/broadcast.h (see schedules/patterns/nccl_ring.hpp).
#include "schedules/patterns/nccl_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

extern constinit const Algorithm nccl_ring = nccl_ring_algorithm<NcclChain>({
    .collective = Collective::bcast,
    .name = "nccl_ring",
    .idea = "every channel sends its share of the vector around a ring in chunks; the rings pass "
            "the GPUs of a node in NCCL's orders",
    .source = "NCCL graph/connect.cc, device/broadcast.h",
    .cost = "",
});

}}}  // namespace tutti::schedules::bcast
