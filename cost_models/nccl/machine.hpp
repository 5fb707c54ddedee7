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

// A machine of identical nodes. NVLink switches connect all GPUs of a node, or NVLinks join each
// pair of them. Network cards are distributed evenly over the GPUs, and each card shares a PCI
// switch with the GPUs near it, or a processor with its GPU. There are at most as many cards as
// GPUs. A node without NVLink must have a single GPU, because with several, the result depends on
// the PCI tree, which data sheets do not show.
struct NcclMachine {
  // CUDA compute capability, times 10: 90 means 9.0.
  int capability = 90;
  NcclCpu cpu = NcclCpu::intel;
  std::uint32_t gpus_per_node = 8;
  // NVLink bandwidth of each GPU in each direction, or of each pair of GPUs if `pairs` is set, as
  // the newest release counts it; 0 without NVLink.
  double nvlink_gb_per_s = 0;
  // PCI bandwidth of each GPU.
  double pci_gb_per_s = 0;
  std::uint32_t nics_per_node = 8;
  // Bandwidth of each network card.
  double nic_gb_per_s = 0;
  double nic_latency_us = 0;
  // Number of GPUs that share a PCI switch with their cards: 1 or 2.
  std::uint32_t gpus_per_switch = 1;
  // True if there are no NVLink switches, but NVLinks between each pair of GPUs of a node.
  bool pairs = false;
  // True if each GPU has a processor of its own, to which NVLink-C2C connects the GPU, and PCI the
  // cards.
  bool own_cpus = false;
  // Name of an AMD GPU, on whose nodes RCCL runs, and not NCCL. RCCL recognises these nodes as a
  // whole, so the figures of such a machine describe only the links of a simulation.
  std::string_view amd_gpu = {};

  // Bandwidth of all NVLinks of a GPU on a node with `gpus` GPUs.
  [[nodiscard]] double nvlinks_gb_per_s(std::uint32_t gpus) const {
    return nvlink_gb_per_s * (pairs ? gpus - 1.0 : 1.0);
  }
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

// Returns the job with the result of NCCL's search, or with RCCL's graphs for an AMD GPU, assuming
// that the search finds the best solution. The job has `ranks` ranks, placed on nodes in blocks of
// consecutive ranks. Throws UserError if the machine is invalid, or if the search finds no
// solution.
[[nodiscard]] NcclCluster cluster_of(const NcclMachine& machine, std::uint32_t ranks,
                                     const NcclRelease& release = nccl_default_release());

}}  // namespace tutti::cost_models
