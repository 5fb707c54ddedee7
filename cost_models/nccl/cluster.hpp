// What NCCL's cost model is given: what its search has found in a node, and what the node is.
//
// Source: NVIDIA/nccl 5067397c (2.30), src/include/graph.h, src/init.cc and src/graph/connect.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::inline cost_models {

// In the library's order: of equal times the first is taken.
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

// "tree", "nvls_tree"; "ll128": as tuner files have them.
[[nodiscard]] std::string_view name(NcclAlgorithm algorithm);
[[nodiscard]] std::string_view name(NcclProtocol protocol);

// The worst link that a path crosses, the best first.
enum class NcclPath : std::uint8_t { loc, nvl, nvb, c2c, pix, pxb, p2c, pxn, phb, sys, net, dis };
[[nodiscard]] std::string_view name(NcclPath path);  // "NVL"
[[nodiscard]] std::optional<NcclPath> nccl_path_named(std::string_view name);

// Of the patterns of the library's search the one that the model asks for: all traffic of a node's
// network at one GPU.
inline constexpr int kNcclPlainTree = 3;
inline constexpr int kNcclMostChannels = 64;

// What the search has found for one kind of algorithm. 0 channels: nothing.
struct NcclGraph {
  int pattern = 0;
  int channels = 0;
  float intra_gb_per_s = 0;    // per channel, in a node
  float inter_gb_per_s = 0;    // per channel, between nodes
  float inter_latency_us = 0;  // what the network's plugin says
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

// PAT goes by the trees' graph, both algorithms over NVLink multicast by one.
[[nodiscard]] const NcclGraph& graph_of(const NcclGraphs& graphs, NcclAlgorithm algorithm);

// `other` is of the x86 family, as is `mixed`: Intel's and AMD's in one job.
enum class NcclCpu : std::uint8_t { intel, amd, other, mixed, arm, power };

struct NcclCluster {
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 1;     // with as many ranks each, but for what is left
  int lowest_capability = 90;  // CUDA compute capability, 90 for 9.0, of the GPUs
  int highest_capability = 90;
  NcclCpu cpu = NcclCpu::intel;
  NcclGraphs graphs;
  bool nvlink_switches = true;
  bool nvls = true;      // NVLink multicast is there and enabled
  bool collnet = false;  // a plugin for reductions in the network is there and enabled
  bool collnet_chain = true;
  bool collnet_gathers = false;   // the plugin has an allgather,
  bool collnet_scatters = false;  // and a reduce_scatter
  int collnet_heads = 0;          // GPUs of a node that reach the network so
  bool net_offload = false;       // the network's plugin works on the device

  [[nodiscard]] std::uint32_t largest_node() const { return (ranks + nodes - 1) / nodes; }
};

// Channels of rings and trees that a call can have, and those of NVLink multicast, after what
// NCCL doubles once the search is over. Without NCCL_MIN_NCHANNELS, NCCL_MAX_NCHANNELS and the
// like.
struct NcclChannels {
  int rings = 0;
  int nvls = 0;
};
[[nodiscard]] NcclChannels nccl_channels(const NcclCluster& cluster);

}  // namespace tutti::inline cost_models
