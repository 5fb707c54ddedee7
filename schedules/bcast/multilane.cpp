// Multi-lane broadcast: a scatter within the root's group, a broadcast of each member's share
// across groups, and an allgather within each group.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020 (see schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

constexpr auto kLimits =
    hierarchy_limits("$within algorithms of collectives other than scatter and allgather",
                     "parts that cannot run", "$groups of more than one level");

}  // namespace

extern constinit const Algorithm multilane = LaneHierarchy::algorithm({
    .collective = Collective::bcast,
    .name = "multilane",
    .idea = "scatter within the root's group, broadcast each share across groups, allgather within "
            "each group",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::bcast
