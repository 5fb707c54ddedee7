// Hierarchical gather: a gather within each group, then a gather of the groups' blocks across the
// leaders of the groups.
//
// Source: Open MPI coll/han, mca_coll_han_gather_intra_simple. If the ranks of groups are not
// consecutive, Open MPI gathers in the order of groups and reorders at the root; here every block
// goes directly to its place.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace gather {

namespace {

constexpr auto kLimits = hierarchy_limits("$within algorithms of collectives other than gather",
                                          "parts that cannot run");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::gather,
    .name = "hierarchical",
    .idea = "gather within each group, then among the group leaders",
    .source = "Open MPI coll/han",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::gather
