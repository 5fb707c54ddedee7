// Hierarchical reduction: a reduction within each group, then one across the leaders of the groups.
//
// Source: Open MPI coll/han, mca_coll_han_reduce_intra_simple and, with --segment,
// mca_coll_han_reduce_intra; MPICH MPIR_Reduce_intra_smp and MPIDI_Reduce_intra_composition_alpha
// and beta (see schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

constexpr auto kLimits =
    hierarchy_limits("$within algorithms of collectives other than reduce", "parts that cannot run",
                     "more segments than can be numbered", "a $segment larger than the vector");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::reduce,
    .name = "hierarchical",
    .idea = "reduce within each group, then among the group leaders",
    .source = "Open MPI coll/han; MPICH reduce_intra_smp",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .order_kept =
        "parts that keep rank order, in groups of consecutive ranks, with root 0 or mpich_alpha; "
        "with mpich_beta only if there is one group, or every group has one rank",
    .options = kHierarchyOptions | bit(Option::composition) | bit(Option::segment),
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::reduce
