// Options that say what NCCL runs on: a GPU's name and a data sheet's figures, or what NCCL's own
// search has found.
#pragma once

#include <cstdint>
#include <string>

#include "cost_models/nccl/cluster.hpp"
#include "src/requests/common_options.hpp"

namespace tutti::inline requests {

// What there is in a node, and between nodes, for schedules: GB/s of a GPU, and of a node.
struct NcclFabric {
  double gpu_gb_per_s = 0;
  double node_gb_per_s = 0;
};

struct NcclJob {
  NcclCluster cluster;
  NcclFabric fabric;
  std::uint32_t gpus_per_node = 1;
  std::string machine;  // in words: "8 nodes of 8 h100"
};

struct NcclOptions {
  OptionText gpu;
  OptionText gpus_per_node;
  OptionText nvlink;
  OptionText nics;
  OptionText nic_bandwidth;
  OptionText nic_latency;
  OptionText cpu;
  OptionText graph;

  void add_to(Command& app);
  // "" where none of them was given; else the flag of one.
  [[nodiscard]] std::string given() const;
  // Where nothing says how many GPUs a node has, what --ranks-per-host says.
  [[nodiscard]] NcclOptions with_ranks_per_host(const OptionText& count) const;
  // Throws UserError.
  [[nodiscard]] NcclJob job(std::uint32_t ranks) const;
};

}  // namespace tutti::inline requests
