// Hierarchical allreduce: a reduction within each group, an allreduce across the leaders of the
// groups, and a broadcast within each group.
//
// Source: Open MPI coll/han, mca_coll_han_allreduce_intra_simple and, with --segment and two
// algorithms in --across, mca_coll_han_allreduce_intra; MPICH MPIR_Allreduce_intra_smp and
// MPIDI_Allreduce_intra_composition_alpha (see schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

constexpr auto kLimits = hierarchy_limits(
    "$within algorithms of collectives other than reduce and bcast", "parts that cannot run",
    "more segments than can be numbered", "a $segment larger than the vector");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::allreduce,
    .name = "hierarchical",
    .idea =
        "reduce within each group, allreduce among the group leaders, broadcast within each group",
    .source = "Open MPI coll/han; MPICH allreduce_intra_smp",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .order_kept = "parts that keep rank order, in groups of consecutive ranks",
    .options = kHierarchyOptions | bit(Option::segment),
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::allreduce
