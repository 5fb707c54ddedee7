// Hierarchical all-to-all, in two dimensions. Within each group, every rank sends each other member
// the blocks for the ranks at that member's place in all groups. Then the ranks at the same place
// exchange across groups what the groups have for each other. The second messages are larger by a
// factor of the group size.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020; MPICH MPIDI_Alltoall_intra_composition_alpha, whose first stage is copies through
// shared memory (schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti::inline schedules::alltoall {

namespace {

constexpr auto kLimits =
    hierarchy_limits("$groups of more than one level", "groups that are not alike",
                     "$within of other collectives than alltoall", "parts that cannot run");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::alltoall,
    .name = "hierarchical",
    .idea =
        "within each group what is for each place in any group, then across, between those at the "
        "same place",
    .source = "Träff and Hunold, CLUSTER 2020; MPICH alltoall composition alpha",
    .cost = "the sum of its stages",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}  // namespace tutti::inline schedules::alltoall
