// NVLS allgather: each rank stores its share at all ranks through the switch, which multicasts the
// share.
//
// Source: NCCL 2.17 and later, NVLS (see schedules/patterns/nvls.hpp).
#include "schedules/patterns/nvls.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

extern constinit const Algorithm nvls = NvlsOf<false>::algorithm({
    .collective = Collective::allgather,
    .name = "nvls",
    .idea = "each rank stores its share to all ranks through the switch",
    .source = "NCCL 2.17, NVLS",
    .cost = "(p + 1)(alpha/2 + n/p beta)",
});

}}}  // namespace tutti::schedules::allgather
