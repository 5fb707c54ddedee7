// Hierarchical allgather: a gather within each group, an allgather across the leaders of the
// groups, and a broadcast of the whole vector within each group.
//
// Source: Open MPI coll/han, mca_coll_han_allgather_intra_simple, which reorders the blocks if the
// ranks of a group are not consecutive; here every block is sent directly to its place.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

constexpr auto kLimits = hierarchy_limits(
    "$within algorithms of collectives other than gather and bcast", "parts that cannot run");

}  // namespace

extern constinit const Algorithm hierarchical = LeaderHierarchy::algorithm({
    .collective = Collective::allgather,
    .name = "hierarchical",
    .idea =
        "gather within each group, allgather among the group leaders, broadcast within each group",
    .source = "Open MPI coll/han",
    .cost = "the sum of the times of the stages, for groups of equal size",
    .options = kHierarchyOptions,
    .limits = kLimits,
});

}}}  // namespace tutti::schedules::allgather
