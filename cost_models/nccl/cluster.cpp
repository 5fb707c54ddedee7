#include "cost_models/nccl/cluster.hpp"

#include <algorithm>

#include "cost_models/nccl/rccl.hpp"

namespace tutti { inline namespace cost_models {

namespace {

constexpr std::array<std::string_view, kNcclAlgorithms> kAlgorithmNames{
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, kNcclProtocols> kProtocolNames{"ll", "ll128", "simple"};
constexpr std::array<std::string_view, 12> kPathNames{"LOC", "NVL", "NVB", "C2C", "PIX", "PXB",
                                                      "P2C", "PXN", "PHB", "SYS", "NET", "DIS"};

// Returns the number of channels for NVLink multicast, as ncclNvlsTuning and
// ncclNvlsTreeSm100Tuning do; up to 2.29, as ncclNvlsInit does. Instead of the network's bandwidth,
// which ncclNvlsTreeSm100Tuning uses, this function uses the bandwidth per channel from NCCL's
// search.
int nvls_channels(const NcclCluster& cluster) {
  constexpr int kHopper = 16;
  constexpr int kBlackwell = 32;
  constexpr int kBlackwellNode = 24;
  const NcclFormulas& formulas = cluster.release->formulas;
  if (cluster.lowest_capability < 100 || !formulas.blackwell) {
    return kHopper;
  }
  if (cluster.nodes == 1 && formulas.fewer_channels_of_one_domain) {
    return kBlackwellNode;
  }
  if (!formulas.channels_by_card) {
    return kBlackwell;
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
  if (cluster.rccl != nullptr) {
    return {cluster.rccl->channels, 0, cluster.rccl->channels};
  }
  constexpr int kFewChannels = 16;
  constexpr float kFastGbPerS = 45.0F;
  const NcclFormulas& formulas = cluster.release->formulas;
  const NcclGraphs& graphs = cluster.graphs;
  const int most = formulas.most_channels;
  int rings = std::min(2 * std::min(graphs.ring.channels, graphs.tree.channels), most);
  const NcclGraph& collnet =
      formulas.chain_adds_channels ? graphs.collnet_chain : graphs.collnet_direct;
  if (cluster.collnet && collnet.channels > 0 && collnet.intra_gb_per_s > collnet.inter_gb_per_s &&
      cluster.ranks > cluster.nodes) {
    rings = std::min(rings + rings / 2, most);
  }
  const bool doubled =
      formulas.blackwell ? cluster.lowest_capability >= 90 : cluster.lowest_capability == 90;
  const bool few = formulas.few_channels_doubled ? rings < kFewChannels : 2 * rings <= most;
  if (doubled && cluster.nodes > 1 && graphs.ring.intra_gb_per_s > kFastGbPerS && few) {
    rings *= 2;
  }
  const int nvls = cluster.nvls && graphs.nvls.channels > 0 ? nvls_channels(cluster) : 0;
  const int copies = formulas.rings_match_multicast ? std::max(rings, nvls) : rings;
  return {formulas.copies_carry_calls ? copies : rings, nvls, copies};
}

}}  // namespace tutti::cost_models
