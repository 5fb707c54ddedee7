// Linear gather: every rank sends its block to the root, in rank order.
//
// Source: Open MPI coll/base gather_intra_basic_linear.
#include "schedules/patterns/linear_rooted.hpp"

namespace tutti { inline namespace schedules { namespace gather {

extern constinit const Algorithm linear = RootedLinear<true>::algorithm({
    .collective = Collective::gather,
    .name = "linear",
    .idea = "every rank sends its block to the root",
    .source = "Open MPI coll/base gather_intra_basic_linear",
    .cost = "(p-1)(alpha + n/p beta)",
});

}}}  // namespace tutti::schedules::gather
