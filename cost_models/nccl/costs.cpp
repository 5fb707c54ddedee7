#include "cost_models/nccl/costs.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "cost_models/nccl/constants.hpp"

namespace tutti { inline namespace cost_models {

namespace {

using nccl_constants::Link;

using enum NcclAlgorithm;

bool one_of_two(Collective collective) {
  return collective == Collective::allgather || collective == Collective::reduce_scatter;
}

// True if the model has this algorithm and protocol for the collective.
bool modelled(const NcclCluster& cluster, Collective collective, NcclAlgorithm algorithm,
              NcclProtocol protocol) {
  const bool simple = protocol == NcclProtocol::simple;
  if (collective == Collective::bcast || collective == Collective::reduce) {
    return algorithm == ring;
  }
  const NcclFormulas& formulas = cluster.release->formulas;
  const int fewest = formulas.multicast == NcclMulticastModel::measured ? 2 : 1;
  if ((algorithm == nvls || algorithm == nvls_tree) &&
      (!simple || graph_of(cluster.graphs, algorithm).channels < fewest)) {
    return false;
  }
  if (collective == Collective::allreduce) {
    return algorithm != pat;
  }
  if (algorithm == pat) {
    return simple && nccl_has_pat(cluster);
  }
  return algorithm == ring || algorithm == nvls ||
         (algorithm == collnet_direct && formulas.network_gather != NcclNetworkGather::none);
}

// Costs of one algorithm with one protocol. Number types and the order of operations are the same
// as in NCCL, so that results agree to the last bit.
class Pair {
 public:
  Pair(const NcclCluster& cluster, Collective collective, NcclAlgorithm algorithm,
       NcclProtocol protocol)
      : cluster_(cluster),
        formulas_(cluster.release->formulas),
        constants_(*cluster.release->constants),
        graph_(graph_of(cluster.graphs, algorithm)),
        collective_(collective),
        algorithm_(algorithm),
        protocol_(protocol),
        ranks_(static_cast<int>(cluster.ranks)),
        nodes_(static_cast<int>(cluster.nodes)),
        per_node_(static_cast<float>(ranks_) / static_cast<float>(nodes_)),
        steps_(collective == Collective::allreduce ? 2 * (ranks_ - 1)
               : one_of_two(collective)            ? ranks_ - 1
                                                   : ranks_) {}

  [[nodiscard]] float gb_per_s() const {
    if (!enabled()) {
      return 0;
    }
    float bus = static_cast<float>(graph_.channels) * channel_gb_per_s();
    if (algorithm_ == ring) {
      bus = ring_limits(bus);
    } else if (algorithm_ == tree) {
      bus = tree_limits(bus);
    } else if (algorithm_ == pat) {
      bus = static_cast<float>(bus * formulas_.pat_share);
    } else if (algorithm_ == collnet_direct || algorithm_ == collnet_chain) {
      bus = collnet_limits(bus);
    }
    if (reaches_no_head()) {
      bus = 0;
    }
    if (formulas_.own_models && bus > 0 && runs_in_steps()) {
      return bus * static_cast<float>(ranks_) / static_cast<float>(steps_);
    }
    return bus * algorithm_share();
  }

  [[nodiscard]] float latency_us() const {
    const auto base = static_cast<float>(constants_.base_latency_us(algorithm_, protocol_));
    const float intra = link(intra_link(), algorithm_);
    const float inter = inter_latency_us();
    const int others = ranks_ / nodes_ - 1;
    const int levels = nccl_lg(cluster_.nodes);
    switch (algorithm_) {
      case ring:
        return ring_latency_us(base, intra, inter);
      case tree:
        return base + 2 * (static_cast<float>(others) * intra + static_cast<float>(levels) * inter);
      case collnet_direct:
        // Adds 0.4 us for each of the other GPUs of the node, which a head serves one after the
        // other.
        return static_cast<float>(
            base + (2 * (static_cast<float>(std::min(1, others)) * intra + others * 0.4) + inter));
      case collnet_chain:
        return base + (static_cast<float>(2 * others) * intra + inter);
      case nvls:
        return nodes_ > 1 ? intra + inter : intra;
      case nvls_tree:
        return base + (intra + static_cast<float>(2 * levels) * inter);
      case pat:
        break;
    }
    return static_cast<float>(formulas_.pat_base_first
                                  ? base + levels * (inter / 3.5) + ranks_ * 2.8
                                  : base + (levels * (inter / 3.5) + ranks_ * 2.8));
  }

  // With one GPU per node, nothing hides the network's latency, so the value for trees applies from
  // 2.23 on.
  // With the protocol Simple, the plugin's latency counts twice, because the protocol has to flush.
  [[nodiscard]] float inter_latency_us() const {
    const bool exposed = per_node_ == 1 && formulas_.lone_gpus_expose_network &&
                         (algorithm_ == ring || !formulas_.own_models);
    const bool alone = nodes_ == 1 && formulas_.own_models;
    float latency =
        link(alone ? intra_link() : Link::network, exposed && !alone ? tree : algorithm_);
    latency += graph_.inter_latency_us;
    const bool once = !simple() || (algorithm_ == pat && formulas_.own_models);
    return once ? latency : latency + graph_.inter_latency_us;
  }

 private:
  [[nodiscard]] bool simple() const { return protocol_ == NcclProtocol::simple; }

  [[nodiscard]] std::size_t generation() const { return nccl_generation(cluster_); }
  [[nodiscard]] std::size_t scale() const { return nodes_ <= 2 ? cluster_.nodes - 1 : 2; }

  [[nodiscard]] double most_ll() const {
    const bool amd = cluster_.cpu == NcclCpu::amd ||
                     (cluster_.cpu == NcclCpu::mixed && formulas_.mixed_cpus_like_amd);
    const std::size_t row = nodes_ == 1 ? generation() : amd ? 1 : 0;
    return constants_.most_ll[row][scale()];
  }

  [[nodiscard]] bool enabled() const {
    if ((algorithm_ == nvls_tree && nodes_ == 1) ||
        (!cluster_.collnet && (algorithm_ == collnet_direct || algorithm_ == collnet_chain ||
                               (algorithm_ == nvls && nodes_ > 1))) ||
        (algorithm_ == collnet_chain && !cluster_.collnet_chain && formulas_.chain_needs_support) ||
        (algorithm_ == collnet_direct && !cluster_.nvlink_switches && !formulas_.own_models)) {
      return false;
    }
    if (protocol_ != NcclProtocol::ll128) {
      return true;
    }
    // LL128 needs stores of 128 bytes to arrive undivided, which only some links guarantee.
    const int capability = cluster_.lowest_capability;
    return graph_.inter <= (capability >= 90 ? NcclPath::pxn : NcclPath::pxb) &&
           graph_.intra <= NcclPath::nvb &&
           (capability == cluster_.highest_capability ||
            (capability >= 90 && formulas_.ll128_between_generations)) &&
           nccl_has_ll128(cluster_);
  }

  [[nodiscard]] float channel_gb_per_s() const {
    if (algorithm_ == nvls || algorithm_ == nvls_tree) {
      return multicast_gb_per_s();
    }
    if (formulas_.own_models) {
      const bool blackwell = cluster_.lowest_capability >= 100;
      if (algorithm_ == pat || (algorithm_ == tree && blackwell)) {
        return std::min(graph_.inter_gb_per_s, graph_.intra_gb_per_s);
      }
      if (algorithm_ == ring && nodes_ == 2 && blackwell) {
        return graph_.inter_gb_per_s;
      }
    }
    return nodes_ <= 2 || algorithm_ == collnet_direct || algorithm_ == collnet_chain
               ? graph_.intra_gb_per_s
               : graph_.inter_gb_per_s;
  }

  // True if a call with the algorithm takes as many steps as a ring, so that its bandwidth is the
  // share ranks_ / steps_ of that of the links.
  [[nodiscard]] bool runs_in_steps() const {
    return algorithm_ == ring || ((algorithm_ == nvls || algorithm_ == nvls_tree) &&
                                  formulas_.multicast_like_rings && !one_of_two(collective_));
  }

  // Returns the bandwidth of a channel of NVLink multicast. Each channel has one head (see
  // NcclCluster::collnet_heads). One of the heads does not send.
  [[nodiscard]] float multicast_gb_per_s() const {
    const bool gathers = collective_ != Collective::allreduce;
    if (formulas_.multicast == NcclMulticastModel::own_data && algorithm_ == nvls && gathers) {
      return std::min(graph_.intra_gb_per_s * (per_node_ - 1.0F) / per_node_,
                      graph_.inter_gb_per_s * 0.9F);
    }
    if (formulas_.multicast != NcclMulticastModel::measured) {
      const float share = algorithm_ == nvls_tree && nodes_ > 2 ? 2.0F : 1.0F;
      return std::min(graph_.intra_gb_per_s, graph_.inter_gb_per_s / share);
    }
    const auto channels = static_cast<float>(graph_.channels);
    float intra = graph_.intra_gb_per_s * nccl_constants::kNvlsEfficiency[generation()] *
                  static_cast<float>(graph_.channels - 1) / channels;
    const float per_node = formulas_.own_models ? smallest_node() : per_node_;
    intra *= gathers ? (per_node - 1) / per_node : 2.0F;
    const float inter =
        graph_.inter_gb_per_s * (nodes_ <= 2 && algorithm_ == nvls_tree ? 2.0F : 1.0F);
    const float most = algorithm_ == nvls_tree
                           ? static_cast<float>(constants_.most_nvls_tree[generation()][scale()])
                           : std::numeric_limits<float>::max();
    return std::min({intra, inter, most});
  }

  [[nodiscard]] float ring_limits(float bus) const {
    if (protocol_ == NcclProtocol::ll) {
      const bool reduces =
          collective_ == Collective::allreduce || collective_ == Collective::reduce;
      const double share = formulas_.half_ring_ll  ? .5
                           : nodes_ > 1 || reduces ? 1.0 / 4.0
                                                   : 1.0 / 3.0;
      return static_cast<float>(std::min(most_ll(), bus * share));
    }
    if (protocol_ == NcclProtocol::ll128) {
      const double share = per_node_ < 2 && formulas_.rings_of_lone_gpus_slow ? 0.7 : 0.92;
      return static_cast<float>(std::min(
          bus * share, graph_.channels * constants_.most_ring_ll128[generation()][scale()]));
    }
    return bus;
  }

  [[nodiscard]] float tree_limits(float bus) const {
    bus = static_cast<float>(
        std::min(bus * .92, graph_.channels * constants_.most_tree[generation()][scale()]));
    if (protocol_ == NcclProtocol::ll) {
      bus = static_cast<float>(std::min(bus * 1.0 / 3.8, most_ll()));
    } else if (protocol_ == NcclProtocol::ll128) {
      bus = static_cast<float>(
          std::min(bus * (nodes_ == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                   graph_.channels * constants_.most_tree_ll128[generation()][scale()]));
    }
    const bool plain =
        cluster_.graphs.tree.pattern == kNcclPlainTree || cluster_.plain_in_last_node;
    return plain ? static_cast<float>(bus * .85) : bus;
  }

  [[nodiscard]] float collnet_limits(float bus) const {
    if (!simple()) {
      return 0;
    }
    if (algorithm_ == collnet_chain) {
      return bus;
    }
    if (one_of_two(collective_)) {
      return network_gather_gb_per_s();
    }
    // Number of GPUs of a node per channel.
    auto factor = static_cast<float>(per_node_ / (1.0 * graph_.channels));
    factor -= (factor - 1) / 2;
    bus /= factor;
    return cluster_.lowest_capability >= 90 ? static_cast<float>(bus * .85) : bus;
  }

  [[nodiscard]] float network_gather_gb_per_s() const {
    if (formulas_.network_gather == NcclNetworkGather::limited_by_cards) {
      return per_node_ * std::min(graph_.intra_gb_per_s, graph_.inter_gb_per_s * 0.9F);
    }
    // Interpolates between what was measured with 1 and with 8 GPUs per node.
    const float weight = (per_node_ - 1) / (8 - 1);
    const float bus = per_node_ * graph_.intra_gb_per_s;
    return static_cast<float>(bus * (weight * 0.85 + (1 - weight) * 0.95));
  }

  // Returns the ratio of the bandwidth that a call reaches (bytes of the buffer per time) to the
  // bandwidth of the links.
  [[nodiscard]] float algorithm_share() const {
    const bool multicast = algorithm_ == nvls || algorithm_ == nvls_tree;
    if (algorithm_ != ring && one_of_two(collective_) &&
        !(multicast && !formulas_.gathers_keep_multicast)) {
      return 1;
    }
    if (runs_in_steps()) {
      return static_cast<float>(1.0 * ranks_ / steps_);
    }
    return static_cast<float>(multicast ? 5.0 / 6.0 : .5);
  }

  [[nodiscard]] float smallest_node() const {
    return static_cast<float>(cluster_.ranks - (cluster_.nodes - 1) * cluster_.largest_node());
  }

  // True if `collective_` cannot run in the network. To run there, an allgather or reduce_scatter
  // needs a plugin that offers it, and every GPU of a node must be a head: a GPU that sends data to
  // be reduced in the network. From 2.31 on, this is also required for an allreduce.
  [[nodiscard]] bool reaches_no_head() const {
    if (formulas_.own_models && nodes_ > 1 && collective_ == Collective::allreduce &&
        (algorithm_ == collnet_direct || algorithm_ == collnet_chain)) {
      return static_cast<int>(cluster_.largest_node()) > cluster_.collnet_heads;
    }
    if ((algorithm_ != nvls && algorithm_ != collnet_direct) || !simple() ||
        !one_of_two(collective_) || nodes_ == 1 ||
        (algorithm_ == nvls && !formulas_.gathers_between_nodes)) {
      return false;
    }
    const bool offered =
        collective_ == Collective::allgather ? cluster_.collnet_gathers : cluster_.collnet_scatters;
    return !offered || !cluster_.collnet ||
           (formulas_.gathers_between_nodes
                ? static_cast<int>(cluster_.largest_node()) > cluster_.collnet_heads
                : per_node_ > static_cast<float>(cluster_.collnet_heads));
  }

  [[nodiscard]] Link intra_link() const {
    return graph_.intra == NcclPath::nvl ? Link::nvlink : Link::pci;
  }

  [[nodiscard]] float link(Link kind, NcclAlgorithm like) const {
    // On Power processors, a step of a tree over PCI has the latency of a step of a ring.
    const bool as_ring = cluster_.cpu == NcclCpu::power && kind == Link::pci && like == tree &&
                         simple() && !formulas_.own_models;
    return static_cast<float>(constants_.link_latency_us(kind, as_ring ? ring : like, protocol_));
  }

  [[nodiscard]] float ring_latency_us(float base, float intra, float inter) const {
    const Link kind = nodes_ == 1 ? intra_link() : Link::network;
    if (collective_ == Collective::bcast || collective_ == Collective::reduce) {
      if (graph_.same_channels) {
        return base + link(kind, ring);
      }
      return base + static_cast<float>(steps_) * link(kind, simple() ? tree : ring);
    }
    // Time in microseconds that each step takes to post to the network. Even a step within a node
    // takes this time.
    float overhead = 0;
    if (nodes_ > 1) {
      overhead = cluster_.cpu == NcclCpu::amd ? 2.0F : 1.0F;
      overhead *= simple() ? 3.0F : 1.0F;
    }
    const int between = nodes_ == 1                             ? 0
                        : collective_ != Collective::allreduce  ? nodes_ - 1
                        : formulas_.first_network_steps_overlap ? 2 * (nodes_ - 1)
                                                                : 2 * nodes_;
    return base + (static_cast<float>(steps_ - between) * std::max(intra, overhead) +
                   static_cast<float>(between) * inter);
  }

  const NcclCluster& cluster_;
  const NcclFormulas& formulas_;
  const nccl_constants::Constants& constants_;
  const NcclGraph& graph_;
  Collective collective_;
  NcclAlgorithm algorithm_;
  NcclProtocol protocol_;
  int ranks_;
  int nodes_;
  float per_node_;
  int steps_;
};

}  // namespace

NcclCost nccl_cost(const NcclCluster& cluster, Collective collective, NcclAlgorithm algorithm,
                   NcclProtocol protocol) {
  if (!modelled(cluster, collective, algorithm, protocol)) {
    return {};
  }
  const Pair pair(cluster, collective, algorithm, protocol);
  return {pair.latency_us(), pair.gb_per_s()};
}

double nccl_network_us(const NcclCluster& cluster, NcclAlgorithm algorithm, NcclProtocol protocol) {
  return double{Pair(cluster, Collective::allreduce, algorithm, protocol).inter_latency_us()};
}

bool nccl_has_pat(const NcclCluster& cluster) {
  const NcclFormulas& formulas = cluster.release->formulas;
  return formulas.pat_share > 0 &&
         (cluster.lowest_capability >= 60 || !formulas.pat_needs_atomics) &&
         cluster.nodes == cluster.ranks && !cluster.net_offload;
}

bool nccl_has_ll128(const NcclCluster& cluster) {
  const int capability = cluster.lowest_capability;
  const NcclFormulas& formulas = cluster.release->formulas;
  if (formulas.ll128_on_every_gpu) {
    return capability >= 70;
  }
  return capability == 70 || capability == 80 || capability == 90 ||
         (formulas.blackwell && (capability == 100 || capability == 120));
}

std::size_t nccl_generation(const NcclCluster& cluster) {
  const int capability = cluster.lowest_capability;
  return capability >= 100 && cluster.release->formulas.blackwell ? 3
         : capability >= 90                                       ? 2
         : capability >= 80                                       ? 1
                                                                  : 0;
}

int nccl_lg(std::uint64_t number) { return static_cast<int>(std::bit_width(number)) - 1; }

}}  // namespace tutti::cost_models
