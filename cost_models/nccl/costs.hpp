// Latency and bandwidth of one algorithm with one protocol, as NCCL's model has them.
#pragma once

#include "cost_models/nccl/model.hpp"

namespace tutti::inline cost_models {

// Both 0 where the model has no such pair. What is there and cannot run has a bandwidth of 0.
[[nodiscard]] NcclCost nccl_cost(const NcclCluster& cluster, Collective collective,
                                 NcclAlgorithm algorithm, NcclProtocol protocol);

// PAT: one GPU a node, and a network whose plugin works on the host.
[[nodiscard]] bool nccl_has_pat(const NcclCluster& cluster);

// lg, rounded down; -1 of 0.
[[nodiscard]] int nccl_lg(std::uint64_t number);

}  // namespace tutti::inline cost_models
