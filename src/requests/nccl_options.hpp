// Options for the machine that NCCL runs on: a GPU's name and figures from data sheets, or the
// result of NCCL's own search.
#pragma once

#include <cstdint>
#include <string>

#include "cost_models/nccl/cluster.hpp"
#include "src/requests/common_options.hpp"

namespace tutti::inline requests {

// Bandwidths for schedules, in GB/s: of one GPU to others in its node, and of one node to others.
struct NcclFabric {
  double gpu_gb_per_s = 0;
  double node_gb_per_s = 0;
};

struct NcclJob {
  NcclCluster cluster;
  NcclFabric fabric;
  std::uint32_t gpus_per_node = 1;
  std::string machine;  // description of the cluster: "8 nodes of 8 h100"
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
  // Returns the flag of a given option; "" if none was given.
  [[nodiscard]] std::string given() const;
  // Returns the options with `count`, the text of --ranks-per-host, as the GPUs per node, unless
  // another option sets that number.
  [[nodiscard]] NcclOptions with_ranks_per_host(const OptionText& count) const;
  // Returns the cluster on which NCCL runs with `ranks` ranks, and its bandwidths. Throws
  // UserError.
  [[nodiscard]] NcclJob job(std::uint32_t ranks) const;
};

}  // namespace tutti::inline requests
