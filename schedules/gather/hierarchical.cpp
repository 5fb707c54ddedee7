// Hierarchical gather: within each group, then what groups have across those that stand for them.
//
// Source: Open MPI coll/han, mca_coll_han_gather_intra_simple. Where the ranks of groups are not
// consecutive it gathers in the order of groups and reorders at the root; here every block goes to
// its place.
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti::gather {

namespace {

constexpr std::array<std::string_view, 5> kLimits{
    GroupTree::kLimits[0],   GroupTree::kLimits[1],
    GroupTree::kLimits[2],   "--within of other collectives than gather",
    "parts that cannot run",
};

}  // namespace

extern const Algorithm hierarchical{
    .collective = Collective::gather,
    .name = "hierarchical",
    .idea = "within each group, then the blocks of groups across those that stand for them",
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

}  // namespace tutti::gather
