// Input of NCCL's cost model: a description of the job and its nodes, with the result of NCCL's
// search within a node.
//
// Source: NVIDIA/nccl 73cf1122 (2.30.7), src/include/graph.h, src/init.cc and src/graph/connect.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cost_models/nccl/release.hpp"

namespace tutti { inline namespace cost_models {

// In NCCL's order, which breaks ties: among equally fast algorithms, NCCL chooses the first.
enum class NcclAlgorithm : std::uint8_t {
  tree,
  ring,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat,
};
enum class NcclProtocol : std::uint8_t { ll, ll128, simple };
inline constexpr std::size_t kNcclAlgorithms = 7;
inline constexpr std::size_t kNcclProtocols = 3;

// Both functions return names as in NCCL tuner files, such as "nvls_tree" and "ll128".
[[nodiscard]] std::string_view name(NcclAlgorithm algorithm);
[[nodiscard]] std::string_view name(NcclProtocol protocol);

// Kinds of paths between devices, named after the worst link on the path; better kinds come first.
enum class NcclPath : std::uint8_t { loc, nvl, nvb, c2c, pix, pxb, p2c, pxn, phb, sys, net, dis };
// Returns NCCL's name for the kind of path, such as "NVL".
[[nodiscard]] std::string_view name(NcclPath path);
[[nodiscard]] std::optional<NcclPath> nccl_path_named(std::string_view name);

// Numbers that NCCL's search uses for patterns of trees. In a plain tree, one GPU handles all
// network traffic of a node and channel; the cost model treats this pattern differently. In a
// balanced tree, the next GPU of the chain sends to and receives from one of the two child nodes,
// and in a split tree, those of both.
inline constexpr int kNcclPlainTree = 3;
inline constexpr int kNcclBalancedTree = 1;
inline constexpr int kNcclSplitTree = 2;
inline constexpr int kNcclMostChannels = 64;

// The result of NCCL's search for one kind of algorithm. `channels` is 0 if the search found no
// solution.
struct NcclGraph {
  int pattern = 0;
  int channels = 0;
  // Bandwidth of each channel within a node.
  float intra_gb_per_s = 0;
  // Bandwidth of each channel between nodes.
  float inter_gb_per_s = 0;
  // Latency of the network, as the network plugin states it.
  float inter_latency_us = 0;
  NcclPath intra = NcclPath::nvl;
  NcclPath inter = NcclPath::pix;
  bool same_channels = true;
  // True if a ring enters a node through one card and leaves it through the next (crossNic 2).
  // Odd nodes then exchange the channels 2k and 2k + 1, so that data do not change rails.
  bool crosses_cards = false;
};

struct NcclGraphs {
  NcclGraph ring;
  NcclGraph tree;
  NcclGraph collnet_chain;
  NcclGraph nvls;
  NcclGraph collnet_direct;
};

// Returns the graph that an algorithm uses. PAT uses the graph of the trees. NVLS and NVLS tree
// share a graph.
[[nodiscard]] const NcclGraph& graph_of(const NcclGraphs& graphs, NcclAlgorithm algorithm);

// Kinds of processors. `other` is an x86 processor that is neither Intel nor AMD. `mixed` means
// Intel and AMD processors in one job.
enum class NcclCpu : std::uint8_t { intel, amd, other, mixed, arm, power };

struct RcclNodes;

struct NcclCluster {
  const NcclRelease* release = &nccl_default_release();
  // Set if RCCL runs, on nodes of this kind, and not NCCL.
  const RcclNodes* rccl = nullptr;
  std::uint32_t ranks = 0;
  // Each node has the same number of ranks, except that the last node may have fewer.
  std::uint32_t nodes = 1;
  // Lowest CUDA compute capability of the GPUs, times 10: 90 means 9.0.
  int lowest_capability = 90;
  int highest_capability = 90;
  NcclCpu cpu = NcclCpu::intel;
  NcclGraphs graphs;
  // True if the last node has fewer GPUs than the others, and its trees are plain. The cost model
  // then counts plain trees for all nodes.
  bool plain_in_last_node = false;
  bool nvlink_switches = true;
  // True if NVLink multicast is available and enabled.
  bool nvls = true;
  // True if a plugin for in-network reductions is available and enabled.
  bool collnet = false;
  bool collnet_chain = true;
  // True if the plugin for in-network reductions supports allgather.
  bool collnet_gathers = false;
  // True if the plugin for in-network reductions supports reduce_scatter.
  bool collnet_scatters = false;
  // Number of GPUs per node that send data to be reduced in the network.
  int collnet_heads = 0;
  // Number of network cards of a node that rings use; 0 if there is a single node.
  std::uint32_t cards = 0;
  // True if the network plugin runs on the GPU.
  bool net_offload = false;

  [[nodiscard]] std::uint32_t largest_node() const { return (ranks + nodes - 1) / nodes; }
};

// Largest number of channels that a call can use: `rings` with rings and trees, `nvls` with NVLink
// multicast. NCCL doubles the number of channels after its search; the numbers here include this
// doubling. They do not include the effect of NCCL_MIN_NCHANNELS, NCCL_MAX_NCHANNELS and similar
// variables.
struct NcclChannels {
  int rings = 0;
  int nvls = 0;
  // Number of channels of rings that a communicator has. Up to 2.27, it has copies of rings for
  // the channels of NVLink multicast, even if calls do not use them.
  int in_communicator = 0;
};
[[nodiscard]] NcclChannels nccl_channels(const NcclCluster& cluster);

}}  // namespace tutti::cost_models
