#include "cost_models/nccl/why_not.hpp"

#include <fmt/format.h>

#include "cost_models/nccl/costs.hpp"
#include "cost_models/nccl/rccl.hpp"

namespace tutti { inline namespace cost_models {

namespace {

using enum NcclAlgorithm;

bool one_buffer_to_many(Collective collective) {
  return collective == Collective::allgather || collective == Collective::reduce_scatter;
}

bool of_multicast(NcclAlgorithm algorithm) { return algorithm == nvls || algorithm == nvls_tree; }

std::string no_such(Collective collective, NcclAlgorithm algorithm, NcclProtocol protocol) {
  if (algorithm != ring && algorithm != tree && protocol != NcclProtocol::simple) {
    return fmt::format("{} supports only the Simple protocol", name(algorithm));
  }
  if ((collective == Collective::bcast || collective == Collective::reduce) && algorithm != ring) {
    return fmt::format("NCCL has only the ring algorithm for {}", name(collective));
  }
  if (collective == Collective::allreduce
          ? algorithm == pat
          : algorithm == tree || algorithm == collnet_chain || algorithm == nvls_tree) {
    return fmt::format("NCCL has no {} for {}", name(algorithm), name(collective));
  }
  return "";
}

std::string no_multicast(const NcclCluster& cluster, Collective collective,
                         NcclAlgorithm algorithm) {
  constexpr std::uint32_t kMostOfNode = 32;
  const NcclFormulas& formulas = cluster.release->formulas;
  const int fewest = formulas.multicast == NcclMulticastModel::measured ? 2 : 1;
  if (!cluster.nvls && cluster.largest_node() == 2 && !formulas.multicast_of_two_gpus) {
    return "up to NCCL 2.28.3, it is not used with 2 GPUs per node";
  }
  if (!cluster.nvls || cluster.graphs.nvls.channels < fewest) {
    return "multicast over NVLink switches is not available";
  }
  if (algorithm == nvls_tree && cluster.nodes == 1) {
    return "it is a tree over nodes, and there is only one node";
  }
  if (algorithm == nvls && cluster.nodes > 1 && !cluster.collnet) {
    return "on several nodes it needs CollNet to reduce in the network";
  }
  if (algorithm == nvls && cluster.nodes > 1 && collective != Collective::allreduce &&
      !formulas.gathers_between_nodes) {
    return fmt::format("up to NCCL 2.26, it does not run {} on several nodes", name(collective));
  }
  if (cluster.lowest_capability < 90) {
    return "it needs compute capability 9.0 or higher";
  }
  if (collective != Collective::allreduce && formulas.multicast_gathers_limited &&
      cluster.largest_node() > kMostOfNode) {
    return fmt::format("at most {} GPUs per node are supported", kMostOfNode);
  }
  return "";
}

std::string no_collnet(const NcclCluster& cluster, NcclAlgorithm algorithm) {
  constexpr std::uint32_t kMostOfNode = 8;
  if (!cluster.collnet) {
    return "no CollNet: no plugin reduces in the network";
  }
  const NcclFormulas& formulas = cluster.release->formulas;
  if (algorithm == collnet_chain && !cluster.collnet_chain && formulas.chain_needs_support) {
    return "the plugin that reduces in the network does not support chains";
  }
  if (algorithm == collnet_direct && !cluster.nvlink_switches && !formulas.own_models) {
    return "it needs NVLink switches";
  }
  const bool limited =
      algorithm == collnet_chain ? formulas.chain_limited : formulas.direct_limited;
  return limited && cluster.largest_node() > kMostOfNode
             ? fmt::format("at most {} GPUs per node are supported", kMostOfNode)
             : "";
}

std::string no_ll128(const NcclCluster& cluster, NcclAlgorithm algorithm) {
  const NcclGraph& graph = graph_of(cluster.graphs, algorithm);
  const int capability = cluster.lowest_capability;
  const NcclPath most = capability >= 90 ? NcclPath::pxn : NcclPath::pxb;
  if (capability < 70) {
    return "LL128 needs compute capability 7.0 or higher";
  }
  if (!nccl_has_ll128(cluster)) {
    return fmt::format("up to NCCL 2.26, LL128 is not used with compute capability {}.{}",
                       capability / 10, capability % 10);
  }
  if (capability != cluster.highest_capability &&
      !(capability >= 90 && cluster.release->formulas.ll128_between_generations)) {
    return "LL128 needs GPUs of the same compute capability";
  }
  if (graph.intra > NcclPath::nvb) {
    return fmt::format("LL128 needs NVLink within a node, but the worst path there is {}",
                       name(graph.intra));
  }
  return graph.inter > most ? fmt::format(
                                  "LL128 needs paths to network cards that are {} or better, but "
                                  "the worst one is {}",
                                  name(most), name(graph.inter))
                            : "";
}

}  // namespace

std::string nccl_why_not(const NcclModel& model, Collective collective, NcclAlgorithm algorithm,
                         NcclProtocol protocol) {
  if (model.time_us(collective, algorithm, protocol, 1)) {
    return "";
  }
  const NcclCluster& cluster = model.cluster();
  if (cluster.rccl != nullptr) {
    return std::string(rccl_why_not(cluster, collective, algorithm, protocol));
  }
  std::string why = no_such(collective, algorithm, protocol);
  if (why.empty() && of_multicast(algorithm)) {
    why = no_multicast(cluster, collective, algorithm);
  }
  if (why.empty() && (algorithm == collnet_direct || algorithm == collnet_chain)) {
    why = no_collnet(cluster, algorithm);
  }
  if (why.empty() && protocol == NcclProtocol::ll128) {
    why = no_ll128(cluster, algorithm);
  }
  if (why.empty() && algorithm == pat) {
    why = cluster.release->formulas.pat_share == 0 ? "NCCL has PAT from 2.23 on"
          : cluster.nodes != cluster.ranks         ? "PAT needs exactly one GPU on each node"
          : cluster.net_offload ? "PAT does not work with a network plugin that runs on the GPU"
                                : "PAT needs compute capability 6.0 or higher";
  }
  if (why.empty() && cluster.nodes > 1 &&
      (one_buffer_to_many(collective) || algorithm == collnet_direct ||
       algorithm == collnet_chain)) {
    why = "not every GPU of a node can send data to be reduced in the network";
  }
  return why.empty() ? "its bandwidth is 0 in NCCL's model" : why;
}

}}  // namespace tutti::cost_models
