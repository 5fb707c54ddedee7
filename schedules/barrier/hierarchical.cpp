// Hierarchical barrier: a barrier within each group, one across the leaders of the groups, and one
// within each group again, which releases the other ranks.
//
// Source: Open MPI coll/han, mca_coll_han_barrier_intra_simple; MPICH MPIR_Barrier_intra_smp and
// MPIDI_Barrier_intra_composition_alpha, which release the other ranks by a broadcast (see
// schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

constexpr auto kLimits = hierarchy_limits("$within algorithms of collectives other than barrier",
                                          "parts that cannot run", "$composition mpich_beta");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::barrier,
    .name = "hierarchical",
    .idea =
        "a barrier within each group, one among the group leaders, and a release within each group",
    .source = "Open MPI coll/han; MPICH barrier_intra_smp",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .options = kHierarchyOptions | bit(Option::composition),
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::barrier
