#include "cost_models/nccl/cluster.hpp"

#include <algorithm>

namespace tutti { inline namespace cost_models {

namespace {

constexpr std::array<std::string_view, kNcclAlgorithms> kAlgorithmNames{
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, kNcclProtocols> kProtocolNames{"ll", "ll128", "simple"};
constexpr std::array<std::string_view, 12> kPathNames{"LOC", "NVL", "NVB", "C2C", "PIX", "PXB",
                                                      "P2C", "PXN", "PHB", "SYS", "NET", "DIS"};

// Returns the number of channels for NVLink multicast, as ncclNvlsTuning and
// ncclNvlsTreeSm100Tuning do. Instead of the network's bandwidth, which ncclNvlsTreeSm100Tuning
// uses, this function uses the bandwidth per channel from NCCL's search.
int nvls_channels(const NcclCluster& cluster) {
  constexpr int kHopper = 16;
  constexpr int kBlackwell = 32;
  constexpr int kBlackwellNode = 24;
  if (cluster.lowest_capability < 100) {
    return kHopper;
  }
  if (cluster.nodes == 1) {
    return kBlackwellNode;
  }
  const float nic_gb_per_s = cluster.graphs.nvls.inter_gb_per_s;
  if (cluster.nodes == 2 || nic_gb_per_s < 48.0F) {
    return kBlackwell;
  }
  const bool small_nodes = cluster.ranks / cluster.nodes <= 8;
  return nic_gb_per_s < 96.0F || small_nodes ? kBlackwellNode : kBlackwell;
}

}  // namespace

std::string_view name(NcclAlgorithm algorithm) {
  return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

std::string_view name(NcclProtocol protocol) {
  return kProtocolNames[static_cast<std::size_t>(protocol)];
}

std::string_view name(NcclPath path) { return kPathNames[static_cast<std::size_t>(path)]; }

std::optional<NcclPath> nccl_path_named(std::string_view name) {
  const auto found = std::find(kPathNames.begin(), kPathNames.end(), name);
  if (found == kPathNames.end()) {
    return std::nullopt;
  }
  return static_cast<NcclPath>(found - kPathNames.begin());
}

const NcclGraph& graph_of(const NcclGraphs& graphs, NcclAlgorithm algorithm) {
  switch (algorithm) {
    case NcclAlgorithm::ring:
      return graphs.ring;
    case NcclAlgorithm::collnet_direct:
      return graphs.collnet_direct;
    case NcclAlgorithm::collnet_chain:
      return graphs.collnet_chain;
    case NcclAlgorithm::nvls:
    case NcclAlgorithm::nvls_tree:
      return graphs.nvls;
    case NcclAlgorithm::tree:
    case NcclAlgorithm::pat:
      break;
  }
  return graphs.tree;
}

// Follows ncclTopoPostset, which makes two channels from each channel of NCCL's search. On several
// nodes with Hopper or newer GPUs, it makes four if the channels are few and fast.
NcclChannels nccl_channels(const NcclCluster& cluster) {
  constexpr int kFewChannels = 16;
  constexpr float kFastGbPerS = 45.0F;
  const NcclGraphs& graphs = cluster.graphs;
  int rings = std::min(2 * std::min(graphs.ring.channels, graphs.tree.channels), kNcclMostChannels);
  if (cluster.collnet && graphs.collnet_chain.channels > 0 &&
      graphs.collnet_chain.intra_gb_per_s > graphs.collnet_chain.inter_gb_per_s &&
      cluster.ranks > cluster.nodes) {
    rings = std::min(rings + rings / 2, kNcclMostChannels);
  }
  if (cluster.lowest_capability >= 90 && cluster.nodes > 1 &&
      graphs.ring.intra_gb_per_s > kFastGbPerS && rings < kFewChannels) {
    rings *= 2;
  }
  return {rings, cluster.nvls && graphs.nvls.channels > 0 ? nvls_channels(cluster) : 0};
}

}}  // namespace tutti::cost_models
