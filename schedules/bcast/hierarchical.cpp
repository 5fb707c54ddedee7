// Hierarchical broadcast: a broadcast across the leaders of the groups, then one within each group.
//
// Source: Open MPI coll/han, mca_coll_han_bcast_intra_simple and, with --segment,
// mca_coll_han_bcast_intra; MPICH MPIR_Bcast_intra_smp and MPIDI_Bcast_intra_composition_alpha and
// beta (see schedules/patterns/hierarchy.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

constexpr auto kLimits =
    hierarchy_limits("$within algorithms of collectives other than bcast", "parts that cannot run",
                     "more segments than can be numbered", "a $segment larger than the vector");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::bcast,
    .name = "hierarchical",
    .idea = "broadcast among the group leaders, then within each group",
    .source = "Open MPI coll/han; MPICH bcast_intra_smp",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .options = kHierarchyOptions | bit(Option::composition) | bit(Option::segment),
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::bcast
