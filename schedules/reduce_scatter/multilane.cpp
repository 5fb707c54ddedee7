// Multi-lane reduce-scatter: a reduce-scatter within each group, in which each member gets the
// blocks of the ranks at its place in any group, then a reduce-scatter across groups.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020; Reduce_scatter_lane of github.com/parlab-tuwien/mpi-lane-collectives (see
// schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

constexpr auto kLimits = hierarchy_limits(
    "$within algorithms of collectives other than reduce_scatter", "parts that cannot run",
    "$groups of more than one level", "groups of unequal size");

}  // namespace

extern constinit const Algorithm multilane = LaneHierarchy::algorithm({
    .collective = Collective::reduce_scatter,
    .name = "multilane",
    .idea = "reduce-scatter within each group by position, then across groups among ranks at the "
            "same position",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .order_kept = "parts that keep rank order, in groups of consecutive ranks",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::reduce_scatter
