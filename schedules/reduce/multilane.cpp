// Multi-lane reduction: a reduce-scatter within each group, a reduction of each member's share
// across groups to the root's group, and a gather within the root's group.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020 (see schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

constexpr auto kLimits =
    hierarchy_limits("$within algorithms of collectives other than reduce_scatter and gather",
                     "parts that cannot run", "$groups of more than one level");

}  // namespace

extern constinit const Algorithm multilane = LaneHierarchy::algorithm({
    .collective = Collective::reduce,
    .name = "multilane",
    .idea = "reduce-scatter within each group, reduce each share across groups to the root's "
            "group, gather there",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "",
    .order_kept = "parts that keep rank order, in groups of consecutive ranks, with the root in "
                  "the first group",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::reduce
