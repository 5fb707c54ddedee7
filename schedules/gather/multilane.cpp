// Multi-lane gather: a gather across groups, to the ranks at the same place in the root's group,
// then a gather within the root's group.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020; Gather_lane of github.com/parlab-tuwien/mpi-lane-collectives (see
// schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace gather {

namespace {

constexpr auto kLimits =
    hierarchy_limits("$within algorithms of collectives other than gather", "parts that cannot run",
                     "$groups of more than one level", "groups of unequal size");

}  // namespace

extern constinit const Algorithm multilane = LaneHierarchy::algorithm({
    .collective = Collective::gather,
    .name = "multilane",
    .idea = "gather across groups to the root's group, then within that group",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::gather
