// Latency and bandwidth of one algorithm with one protocol in NCCL's model.
#pragma once

#include "cost_models/nccl/model.hpp"

namespace tutti::inline cost_models {

// Both values are 0 if the model has no such algorithm and protocol. Only the bandwidth is 0 if
// they exist but cannot run.
[[nodiscard]] NcclCost nccl_cost(const NcclCluster& cluster, Collective collective,
                                 NcclAlgorithm algorithm, NcclProtocol protocol);

// True if PAT can run: one GPU on each node, and a network plugin that works on the host.
[[nodiscard]] bool nccl_has_pat(const NcclCluster& cluster);

// Returns lg, rounded down; -1 for 0.
[[nodiscard]] int nccl_lg(std::uint64_t number);

}  // namespace tutti::inline cost_models
