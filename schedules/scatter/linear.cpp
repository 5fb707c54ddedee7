// Linear scatter: the root sends every rank its block, in rank order.
//
// Source: Open MPI coll/base scatter_intra_basic_linear.
#include "schedules/patterns/linear_rooted.hpp"

namespace tutti { inline namespace schedules { namespace scatter {

extern constinit const Algorithm linear = RootedLinear<false>::algorithm({
    .collective = Collective::scatter,
    .name = "linear",
    .idea = "the root sends every rank its block",
    .source = "Open MPI coll/base scatter_intra_basic_linear",
    .cost = "(p-1)(alpha + n/p beta)",
});

}}}  // namespace tutti::schedules::scatter
