// Input of NCCL's cost model: a description of the job and its nodes, with the result of NCCL's
// search within a node.
//
// Source: NVIDIA/nccl 5067397c (2.30), src/include/graph.h, src/init.cc and src/graph/connect.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::inline cost_models {

// In the library's order, which breaks ties: the first of equally fast algorithms is chosen.
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

// Names as in NCCL tuner files: "tree", "nvls_tree"; "ll128".
[[nodiscard]] std::string_view name(NcclAlgorithm algorithm);
[[nodiscard]] std::string_view name(NcclProtocol protocol);

// The worst kind of link on a path; better kinds come first.
enum class NcclPath : std::uint8_t { loc, nvl, nvb, c2c, pix, pxb, p2c, pxn, phb, sys, net, dis };
[[nodiscard]] std::string_view name(NcclPath path);  // "NVL"
[[nodiscard]] std::optional<NcclPath> nccl_path_named(std::string_view name);

// The search's pattern for trees in which one GPU handles all network traffic of a node. The model
// treats this pattern differently.
inline constexpr int kNcclPlainTree = 3;
inline constexpr int kNcclMostChannels = 64;

// The search's result for one kind of algorithm. 0 channels: it found none.
struct NcclGraph {
  int pattern = 0;
  int channels = 0;
  float intra_gb_per_s = 0;    // per channel, within a node
  float inter_gb_per_s = 0;    // per channel, between nodes
  float inter_latency_us = 0;  // as stated by the network's plugin
  NcclPath intra = NcclPath::nvl;
  NcclPath inter = NcclPath::pix;
  bool same_channels = true;
};

struct NcclGraphs {
  NcclGraph ring;
  NcclGraph tree;
  NcclGraph collnet_chain;
  NcclGraph nvls;
  NcclGraph collnet_direct;
};

// Returns the graph that an algorithm uses. PAT uses the trees' graph; NVLS and NVLS tree share
// one.
[[nodiscard]] const NcclGraph& graph_of(const NcclGraphs& graphs, NcclAlgorithm algorithm);

// `other` is another x86 processor. `mixed` means Intel and AMD processors in one job.
enum class NcclCpu : std::uint8_t { intel, amd, other, mixed, arm, power };

struct NcclCluster {
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 1;     // equally many ranks on each; the last may have fewer
  int lowest_capability = 90;  // CUDA compute capability of the GPUs; 90 is 9.0
  int highest_capability = 90;
  NcclCpu cpu = NcclCpu::intel;
  NcclGraphs graphs;
  bool nvlink_switches = true;
  bool nvls = true;      // NVLink multicast is available and enabled
  bool collnet = false;  // a plugin for in-network reductions is available and enabled
  bool collnet_chain = true;
  bool collnet_gathers = false;   // the plugin has an allgather
  bool collnet_scatters = false;  // the plugin has a reduce_scatter
  int collnet_heads = 0;          // GPUs of a node that reach the network's reductions
  bool net_offload = false;       // the network's plugin works on the device

  [[nodiscard]] std::uint32_t largest_node() const { return (ranks + nodes - 1) / nodes; }
};

// Largest number of channels that a call can use, with rings and trees and with NVLink multicast.
// Includes the doubling that follows NCCL's search. Ignores NCCL_MIN_NCHANNELS, NCCL_MAX_NCHANNELS
// and similar variables.
struct NcclChannels {
  int rings = 0;
  int nvls = 0;
};
[[nodiscard]] NcclChannels nccl_channels(const NcclCluster& cluster);

}  // namespace tutti::inline cost_models
