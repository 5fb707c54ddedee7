// A machine described by numbers from data sheets, and the result of NCCL's search for the machine.
//
// Source: NVIDIA/nccl, tags v2.19.1-1 to v2.30.7-1, src/graph/search.cc, ncclTopoCompute,
// ncclTopoSearchRecNet, ncclTopoCompareGraphs, ncclTopoDupChannels; src/graph/topo.h, rates of
// links; src/init.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cost_models/nccl/cluster.hpp"

namespace tutti { inline namespace cost_models {

// A machine of identical nodes. NVLink switches connect all GPUs of a node. Network cards are
// distributed evenly over the GPUs, and each card shares a PCI switch with the GPUs near it. There
// are at most as many cards as GPUs. A node
// without NVLink must have a single GPU, because with several, the result depends on the PCI tree,
// which data sheets do not show.
struct NcclMachine {
  // CUDA compute capability, times 10: 90 means 9.0.
  int capability = 90;
  NcclCpu cpu = NcclCpu::intel;
  std::uint32_t gpus_per_node = 8;
  // NVLink bandwidth of each GPU in each direction; 0 without NVLink.
  double nvlink_gb_per_s = 0;
  // PCI bandwidth of each GPU.
  double pci_gb_per_s = 0;
  std::uint32_t nics_per_node = 8;
  // Bandwidth of each network card.
  double nic_gb_per_s = 0;
  double nic_latency_us = 0;
  // Number of GPUs that share a PCI switch with their cards: 1 or 2.
  std::uint32_t gpus_per_switch = 1;
};

// A kind of GPU, and the machine in which it is usually sold. Bandwidths are those that NCCL
// assumes.
struct NcclGpu {
  std::string_view name;  // "h100"
  NcclMachine machine;
};
[[nodiscard]] std::span<const NcclGpu> nccl_gpus();
// Returns null for an unknown name.
[[nodiscard]] const NcclGpu* nccl_gpu_named(std::string_view name);

// Returns the job with the result of NCCL's search, assuming that the search finds the best
// solution. The job has `ranks` ranks, placed on nodes in blocks of consecutive ranks. Throws
// UserError if the machine is invalid, or if the search finds no solution.
[[nodiscard]] NcclCluster cluster_of(const NcclMachine& machine, std::uint32_t ranks,
                                     const NcclRelease& release = nccl_default_release());

}}  // namespace tutti::cost_models
