// Latency and bandwidth of one algorithm with one protocol in NCCL's model.
#pragma once

#include "cost_models/nccl/model.hpp"

namespace tutti { inline namespace cost_models {

// Returns the latency and bandwidth. Both are 0 if the model does not have the algorithm with the
// protocol. Only the bandwidth is 0 if the model has them, but they cannot run on the cluster.
[[nodiscard]] NcclCost nccl_cost(const NcclCluster& cluster, Collective collective,
                                 NcclAlgorithm algorithm, NcclProtocol protocol);

// Returns the latency of a step between nodes in NCCL's model, in microseconds.
[[nodiscard]] double nccl_network_us(const NcclCluster& cluster, NcclAlgorithm algorithm,
                                     NcclProtocol protocol);

// True if PAT can run. PAT needs one GPU on each node and a network plugin that runs on the host.
[[nodiscard]] bool nccl_has_pat(const NcclCluster& cluster);

// True if LL128 can run on the GPUs, whatever connects them.
[[nodiscard]] bool nccl_has_ll128(const NcclCluster& cluster);

// Returns the index of the slowest GPU's generation in the tables of constants: 0 Volta, 1 Ampere,
// 2 Hopper, 3 Blackwell if the release knows it.
[[nodiscard]] std::size_t nccl_generation(const NcclCluster& cluster);

// Returns the binary logarithm of `number`, rounded down; -1 for 0.
[[nodiscard]] int nccl_lg(std::uint64_t number);

}}  // namespace tutti::cost_models
