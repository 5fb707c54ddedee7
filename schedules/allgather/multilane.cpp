// Multi-lane allgather: an allgather across groups, among the ranks at the same place in their
// groups, then an allgather within each group.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020; Allgather_lane of github.com/parlab-tuwien/mpi-lane-collectives (see
// schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

constexpr auto kLimits = hierarchy_limits("$within algorithms of collectives other than allgather",
                                          "parts that cannot run", "$groups of more than one level",
                                          "groups of unequal size");

}  // namespace

extern constinit const Algorithm multilane = LaneHierarchy::algorithm({
    .collective = Collective::allgather,
    .name = "multilane",
    .idea = "allgather across groups, among ranks at the same position, then within each group",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::allgather
