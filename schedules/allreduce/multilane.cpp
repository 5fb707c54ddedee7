// Multi-lane allreduce: a reduce-scatter within each group, an allreduce across groups of each
// rank's share, an allgather within.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020; the same as DPML's (Bayatpour et al., SC 2017) with as many leaders as ranks, and
// as UCC's split rail (schedules/patterns/hierarchy.hpp).
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti::allreduce {

namespace {

constexpr std::array<std::string_view, 6> kLimits{
    GroupTree::kLimits[0],   GroupTree::kLimits[1],
    GroupTree::kLimits[2],   "--within of other collectives than reduce_scatter and allgather",
    "parts that cannot run", "--groups of more than one level",
};

}  // namespace

extern const Algorithm multilane{
    .collective = Collective::allreduce,
    .name = "multilane",
    .idea =
        "reduce-scatter within each group, allreduce each share across groups, allgather within",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "the sum of its stages, among groups of equal size",
    .keeps_order = LaneHierarchy::keeps_order,
    .order_kept = "parts that keep it, among consecutive ranks",
    .options = kHierarchyOptions,
    .refusal = LaneHierarchy::refusal,
    .limits = kLimits,
    .layout = LaneHierarchy::layout,
    .exact_s = LaneHierarchy::exact_s,
    .emit = LaneHierarchy::emit,
    .one_shape = LaneHierarchy::one_shape,
    .same_as = LaneHierarchy::same_as,
};

}  // namespace tutti::allreduce
