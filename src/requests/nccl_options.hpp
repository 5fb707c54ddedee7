// Options that describe the machine on which NCCL runs. The user gives the name of a GPU and
// figures from data sheets, or the graphs that NCCL itself found.
#pragma once

#include <cstdint>
#include <string>

#include "cost_models/nccl/cluster.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace requests {

// Bandwidths for the simulation of schedules, in GB/s: from one GPU to the others in its node, and
// from one node to the other nodes.
struct NcclFabric {
  double gpu_gb_per_s = 0;
  double node_gb_per_s = 0;
};

struct NcclJob {
  NcclCluster cluster;
  NcclFabric fabric;
  std::uint32_t gpus_per_node = 1;
  std::string machine;  // description of the cluster: "8 nodes of 8 h100"
  std::string note;     // what the user should know about the options; "" if nothing
};

struct NcclOptions {
  std::string gpu = "h100";
  std::optional<ValueWithText<std::uint32_t>> gpus_per_node;
  std::optional<ValueWithText<double>> nvlink_gb_per_s;
  std::optional<ValueWithText<std::uint32_t>> nics;
  std::optional<ValueWithText<double>> nic_gb_per_s;
  std::optional<ValueWithText<double>> nic_latency_s;
  std::optional<NcclCpu> cpu;
  std::optional<std::string> graph;  // path of a file

  void add_to(Command& app);
  // Returns the flag of the first option that was given; "" if none was given.
  [[nodiscard]] std::string given() const;
  // Returns a copy in which the number of GPUs per node is that of ranks per host, unless another
  // option sets that number.
  [[nodiscard]] NcclOptions with_ranks_per_host(const RanksOption& count) const;
  // Returns the cluster on which NCCL runs with `ranks` ranks, and the bandwidths of the cluster.
  // Throws UserError.
  [[nodiscard]] NcclJob job(std::uint32_t ranks) const;

 private:
  const Command* command_ = nullptr;
};

}}  // namespace tutti::requests
