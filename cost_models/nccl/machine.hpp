// A machine described by numbers of data sheets, and the result of NCCL's search for it.
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

// A machine of identical nodes. NVLink switches connect all GPUs of a node. Network cards are
// distributed over the GPUs, and each shares a PCI switch with the GPUs near it. A node without
// NVLink must have one GPU: for several, the result depends on the PCI tree, which data sheets do
// not show.
struct NcclMachine {
  int capability = 90;  // CUDA compute capability; 90 is 9.0
  NcclCpu cpu = NcclCpu::intel;
  std::uint32_t gpus_per_node = 8;
  double nvlink_gb_per_s = 0;  // per GPU and direction; 0: none
  double pci_gb_per_s = 0;     // per GPU
  std::uint32_t nics_per_node = 8;
  double nic_gb_per_s = 0;  // per card
  double nic_latency_us = 0;
};

// A GPU, with the node in which it is usually sold. Rates are those that NCCL assumes.
struct NcclGpu {
  std::string_view name;  // "h100"
  NcclMachine machine;
};
[[nodiscard]] std::span<const NcclGpu> nccl_gpus();
// Returns null for an unknown name.
[[nodiscard]] const NcclGpu* nccl_gpu_named(std::string_view name);

// Returns the result of NCCL's search for a job of `ranks` ranks, placed in blocks on nodes,
// assuming that the search finds the best solution. Throws UserError if the machine is invalid, or
// if the search finds no solution.
[[nodiscard]] NcclCluster cluster_of(const NcclMachine& machine, std::uint32_t ranks);

}  // namespace tutti::inline cost_models
