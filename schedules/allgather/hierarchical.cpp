// Hierarchical allgather: a gather within each group, an allgather of what groups have across those
// that stand for them, a broadcast of all within.
//
// Source: Open MPI coll/han, mca_coll_han_allgather_intra_simple, which reorders where the ranks of
// groups are not consecutive; here every block goes to its place.
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti::allgather {

namespace {

constexpr std::array<std::string_view, 5> kLimits{
    GroupTree::kLimits[0],   GroupTree::kLimits[1],
    GroupTree::kLimits[2],   "--within of other collectives than gather and bcast",
    "parts that cannot run",
};

}  // namespace

extern const Algorithm hierarchical{
    .collective = Collective::allgather,
    .name = "hierarchical",
    .idea =
        "gather within each group, allgather across those that stand for them, broadcast all "
        "within",
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

}  // namespace tutti::allgather
