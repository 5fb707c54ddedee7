// Multi-lane broadcast: a scatter within the root's group, a broadcast across groups of each share,
// an allgather within.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication",
// CLUSTER 2020 (schedules/patterns/hierarchy.hpp).
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/hierarchy.hpp"

namespace tutti::bcast {

namespace {

constexpr std::array<std::string_view, 6> kLimits{
    GroupTree::kLimits[0],   GroupTree::kLimits[1],
    GroupTree::kLimits[2],   "--within of other collectives than scatter and allgather",
    "parts that cannot run", "--groups of more than one level",
};

}  // namespace

extern const Algorithm multilane{
    .collective = Collective::bcast,
    .name = "multilane",
    .idea = "scatter within the root's group, broadcast each share across groups, allgather within",
    .source = "Träff and Hunold, CLUSTER 2020",
    .cost = "",
    .keeps_order = nullptr,
    .options = kHierarchyOptions,
    .refusal = LaneHierarchy::refusal,
    .limits = kLimits,
    .layout = LaneHierarchy::layout,
    .exact_s = nullptr,
    .emit = LaneHierarchy::emit,
    .one_shape = LaneHierarchy::one_shape,
    .same_as = LaneHierarchy::same_as,
};

}  // namespace tutti::bcast
