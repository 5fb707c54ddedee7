// Multi-lane reduction: a reduce-scatter within each group, a reduction of each share across groups
// to the root's, a gather within that.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020 (schedules/patterns/hierarchy.hpp).
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti::reduce {

namespace {

constexpr std::array<std::string_view, 6> kLimits{
    GroupTree::kLimits[0],   GroupTree::kLimits[1],
    GroupTree::kLimits[2],   "--within of other collectives than reduce_scatter and gather",
    "parts that cannot run", "--groups of more than one level",
};

}  // namespace

extern const Algorithm multilane{
    .collective = Collective::reduce,
    .name = "multilane",
    .idea =
        "reduce-scatter within each group, reduce each share across to the root's, gather there",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "",
    .keeps_order = LaneHierarchy::keeps_order,
    .order_kept = "parts that keep it, among consecutive ranks, for a root in the first group",
    .options = kHierarchyOptions,
    .refusal = LaneHierarchy::refusal,
    .limits = kLimits,
    .layout = LaneHierarchy::layout,
    .exact_s = nullptr,
    .emit = LaneHierarchy::emit,
    .one_shape = LaneHierarchy::one_shape,
    .same_as = LaneHierarchy::same_as,
};

}  // namespace tutti::reduce
