// Multi-lane allreduce: a reduce-scatter within each group, an allreduce of each rank's share
// across groups, and an allgather within each group.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020. DPML (Bayatpour et al., SC 2017), with as many leaders as a group has ranks, and
// UCC's split rail do the same. See schedules/patterns/hierarchy.hpp.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

constexpr auto kLimits =
    hierarchy_limits("$within algorithms of collectives other than reduce_scatter and allgather",
                     "parts that cannot run", "$groups of more than one level");

}  // namespace

extern constinit const Algorithm multilane = LaneHierarchy::algorithm({
    .collective = Collective::allreduce,
    .name = "multilane",
    .idea = "reduce-scatter within each group, allreduce each share across groups, allgather "
            "within each group",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .order_kept = "parts that keep rank order, in groups of consecutive ranks",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::allreduce
