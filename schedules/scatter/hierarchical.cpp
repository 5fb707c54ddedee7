// Hierarchical scatter: a scatter of the groups' blocks across the leaders of the groups, then a
// scatter within each group.
//
// Source: Open MPI coll/han, mca_coll_han_scatter_intra_simple. If the ranks of groups are not
// consecutive, Open MPI first reorders blocks at the root; here every block keeps its place.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace scatter {

namespace {

constexpr auto kLimits = hierarchy_limits("$within algorithms of collectives other than scatter",
                                          "parts that cannot run");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::scatter,
    .name = "hierarchical",
    .idea = "scatter among the group leaders, then within each group",
    .source = "Open MPI coll/han",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::scatter
