// Hierarchical all-to-all, in two dimensions. Within each group, every rank sends each other member
// the blocks for the ranks at that member's place in all groups. Then the ranks at the same place
// exchange across groups what the groups have for each other. A message across groups has the
// blocks of all ranks of the sender's group for one receiver.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020; MPICH MPIDI_Alltoall_intra_composition_alpha, whose first stage is copies through
// shared memory (see schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

constexpr auto kLimits = hierarchy_limits(
    "$groups of more than one level", "groups that differ in size or pattern",
    "$within algorithms of collectives other than alltoall", "parts that cannot run");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::alltoall,
    .name = "hierarchical",
    .idea = "alltoall within each group, which brings all blocks for a position to the rank at "
            "that position; then alltoall across groups, among ranks at the same position",
    .source = "Träff and Hunold, CLUSTER 2020; MPICH alltoall composition alpha",
    .cost = "the sum of the times of the stages",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::alltoall
