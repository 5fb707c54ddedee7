// Multi-lane scatter: a scatter within the root's group, in which each member gets the blocks of
// the ranks at its place in any group, then a scatter across groups.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020; Scatter_lane of github.com/parlab-tuwien/mpi-lane-collectives (see
// schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace scatter {

namespace {

constexpr auto kLimits = hierarchy_limits("$within algorithms of collectives other than scatter",
                                          "parts that cannot run", "$groups of more than one level",
                                          "groups of unequal size");

}  // namespace

extern constinit const Algorithm multilane = LaneHierarchy::algorithm({
    .collective = Collective::scatter,
    .name = "multilane",
    .idea = "scatter within the root's group, then from each of its ranks across groups",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::scatter
