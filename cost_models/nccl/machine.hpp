// A machine in figures of data sheets, and what NCCL's search makes of it.
//
// Source: NVIDIA/nccl 5067397c (2.30), src/graph/search.cc, ncclTopoCompute, ncclTopoSearchRecNet,
// ncclTopoCompareGraphs, ncclTopoDupChannels; src/graph/topo.h, rates of links; src/init.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cost_models/nccl/cluster.hpp"

namespace tutti::inline cost_models {

// Nodes that are alike: all GPUs of one on NVLink switches, and network cards dealt out to GPUs,
// each below a PCI switch with those that it is near to. A node without NVLink has one GPU: of
// others the tree of PCI decides, which no data sheet tells.
struct NcclMachine {
  int capability = 90;  // 90 for 9.0
  NcclCpu cpu = NcclCpu::intel;
  std::uint32_t gpus_per_node = 8;
  double nvlink_gb_per_s = 0;  // of a GPU, in each direction; 0: none
  double pci_gb_per_s = 0;     // of a GPU
  std::uint32_t nics_per_node = 8;
  double nic_gb_per_s = 0;  // of each
  double nic_latency_us = 0;
};

// A GPU, in the node that it is mostly sold in. Rates as NCCL counts them.
struct NcclGpu {
  std::string_view name;  // "h100"
  NcclMachine machine;
};
[[nodiscard]] std::span<const NcclGpu> nccl_gpus();
// Null for names that are not known.
[[nodiscard]] const NcclGpu* nccl_gpu_named(std::string_view name);

// What the search finds for a job of so many ranks, in blocks on nodes, where it finds the best
// there is. Throws UserError for what is no machine, and where the search finds no way.
[[nodiscard]] NcclCluster cluster_of(const NcclMachine& machine, std::uint32_t ranks);

}  // namespace tutti::inline cost_models
