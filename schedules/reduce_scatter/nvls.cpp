// NVLS reduce_scatter: each rank loads the sum of its share from all ranks through the switch.
//
// Source: NCCL 2.17 and later, NVLS (see schedules/patterns/nvls.hpp).
#include "schedules/patterns/nvls.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

extern constinit const Algorithm nvls = NvlsOf<true>::algorithm({
    .collective = Collective::reduce_scatter,
    .name = "nvls",
    .idea = "each rank loads the sum of its share, reduced by the switch",
    .source = "NCCL 2.17, NVLS",
    .cost = "(p + 1)(alpha/2 + n/p beta)",
    .keeps_order = always,
    .order_kept = "always",
});

}}}  // namespace tutti::schedules::reduce_scatter
