// Hierarchical scatter: the blocks of groups across those that stand for them, then within each
// group.
//
// Source: Open MPI coll/han, mca_coll_han_scatter_intra_simple. Where the ranks of groups are not
// consecutive it reorders at the root first; here every block keeps its place.
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti::scatter {

namespace {

constexpr std::array<std::string_view, 5> kLimits{
    GroupTree::kLimits[0],   GroupTree::kLimits[1],
    GroupTree::kLimits[2],   "--within of other collectives than scatter",
    "parts that cannot run",
};

}  // namespace

extern const Algorithm hierarchical{
    .collective = Collective::scatter,
    .name = "hierarchical",
    .idea = "the blocks of groups across those that stand for them, then within each group",
    .source = "Open MPI coll/han",
    .cost = "the sum of its stages, among groups of equal size",
    .keeps_order = nullptr,
    .options = kHierarchyOptions,
    .refusal = LeaderHierarchy::refusal,
    .limits = kLimits,
    .layout = LeaderHierarchy::layout,
    .exact_s = LeaderHierarchy::exact_s,
    .emit = LeaderHierarchy::emit,
    .one_shape = LeaderHierarchy::one_shape,
    .same_as = LeaderHierarchy::same_as,
};

}  // namespace tutti::scatter
