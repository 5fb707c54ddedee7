// Hierarchical reduction: within each group, then across the leaders of the groups.
//
// Source: Open MPI coll/han, mca_coll_han_reduce_intra_simple, and with --segment
// mca_coll_han_reduce_intra; MPICH MPIR_Reduce_intra_smp and MPIDI_Reduce_intra_composition_alpha
// and beta (schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti::inline schedules::reduce {

namespace {

constexpr auto kLimits =
    hierarchy_limits("$within of other collectives than reduce", "parts that cannot run",
                     "more segments than labels count", "a $segment larger than the vector");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::reduce,
    .name = "hierarchical",
    .idea = "within each group, then across those that stand for them",
    .source = "Open MPI coll/han; MPICH reduce_intra_smp",
    .cost = "the sum of its stages, among groups of equal size",
    .order_kept =
        "parts that keep it, among consecutive ranks, root 0 or mpich_alpha; by mpich_beta where "
        "all are in one group, or all groups are of one",
    .options = kHierarchyOptions | bit(Option::composition) | bit(Option::segment),
    .limits = kLimits,
});

}  // namespace tutti::inline schedules::reduce
