#include "cost_models/nccl/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cost_models/nccl/rccl.hpp"
#include "cost_models/nccl/speeds.hpp"

namespace tutti { inline namespace cost_models {

namespace {

// NVLink bandwidth is the number of links per GPU times NCCL's bandwidth of one link
// (SM80_NVLINK_BW and so on). PCI is of generation 4, 5 or 6. Network cards have 200, 400 or 800
// Gb/s. The numbers of links and the cards are from NVIDIA's data sheets of DGX and HGX A100, H100,
// H200, B200 and B300, and of GB200 and GB300 NVL72. Nodes of four GH200 have 6 links between each
// pair of GPUs: apps.fz-juelich.de/jsc/hps/jupiter. AMD: the bandwidths of xGMI links that RCCL
// assumes (ROCm/rccl 0cbce2a7, src/graph/topo.h).
constexpr double kGen4 = 24;
constexpr double kGen5 = 48;
constexpr double kGen6 = 96;
constexpr double kHopperLink = 20.6;
constexpr double kBlackwellLink = 40.1;
constexpr std::array kGpus{
    NcclGpu{"a100", {80, NcclCpu::amd, 8, 12 * 20.0, kGen4, 8, 25, 0, 2}},
    NcclGpu{"a800", {80, NcclCpu::intel, 8, 8 * 20.0, kGen4, 8, 25, 0, 2}},
    NcclGpu{"h100", {90, NcclCpu::intel, 8, 18 * kHopperLink, kGen5, 8, 50}},
    NcclGpu{"h200", {90, NcclCpu::intel, 8, 18 * kHopperLink, kGen5, 8, 50}},
    NcclGpu{"h800", {90, NcclCpu::intel, 8, 8 * kHopperLink, kGen5, 8, 50}},
    NcclGpu{"b200", {100, NcclCpu::intel, 8, 18 * kBlackwellLink, kGen5, 8, 50}},
    NcclGpu{"b300", {103, NcclCpu::intel, 8, 18 * kBlackwellLink, kGen6, 8, 100}},
    NcclGpu{"gh200", {90, NcclCpu::arm, 4, 6 * kHopperLink, kGen5, 4, 25, 0, 1, true, true}},
    NcclGpu{"gb200", {100, NcclCpu::arm, 72, 18 * kBlackwellLink, kGen5, 72, 50}},
    NcclGpu{"gb300", {103, NcclCpu::arm, 72, 18 * kBlackwellLink, kGen6, 72, 100}},
    NcclGpu{"mi250x", {0, NcclCpu::amd, 8, 36, kGen4, 4, 25, 0, 2, true, false, "mi250x"}},
    NcclGpu{"mi300x", {0, NcclCpu::intel, 8, 48, kGen5, 8, 50, 0, 1, true, false, "mi300x"}},
};

// Returns the number of channels of `each` GB/s that fit into a link of `most` GB/s. Adds a
// tolerance, because NCCL's search subtracts one channel after the other and rounds to thousandths
// each time.
int times_in(double most, double each) {
  return static_cast<int>(std::floor((most + 1e-4) / each));
}

class Search {
 public:
  Search(const NcclMachine& machine, std::uint32_t gpus, bool between, const NcclRelease& release)
      : machine_(machine),
        gpus_(gpus),
        nics_(machine.nics_per_node),
        shared_switch_(machine.gpus_per_switch > 1 && gpus % 2 == 0),
        own_cpus_(machine.own_cpus && between),
        relays_(!own_cpus_ || release.formulas.pxn_over_c2c),
        formulas_(release.formulas),
        between_(between),
        near_(!own_cpus_                   ? NcclPath::pix
              : release.formulas.c2c_paths ? NcclPath::p2c
                                           : NcclPath::phb),
        total_(std::max(machine.nvlinks_gb_per_s(gpus), machine.pci_gb_per_s)),
        most_(between     ? std::min(machine.nic_gb_per_s, machine.pci_gb_per_s)
              : gpus == 1 ? 5000.0
                          : machine.nvlink_gb_per_s),
        speeds_(nccl_speeds(machine.capability, between, release)) {}

  // Finds the ring with the most bandwidth. Tries speeds from the highest down, until the links are
  // full or the speed is less than half of the best one.
  [[nodiscard]] NcclGraph ring() const {
    constexpr int kMost = kNcclMostChannels / 2;
    NcclGraph best = graph(kNcclRing);
    best.same_channels = between_ ? gpus_ == 1 || nics_ == 1 : !machine_.pairs || gpus_ <= 2;
    if (!comes_back() && !relays_) {
      return ring_without_relay(best);
    }
    if (!comes_back()) {
      best.inter = NcclPath::pxn;
    }
    float taken = 0;
    for (std::size_t i = first(1, total_); i < speeds_.size(); ++i) {
      const float speed = speeds_[i];
      if (best.channels > 0 && speed / taken <= .49F) {
        break;
      }
      for (const bool crossing : {false, true}) {
        if (crossing && (comes_back() || nics_ < gpus_ || is_full(best) ||
                         (gpus_ > kFewGpus && speed < formulas_.crossing_gb_per_s))) {
          continue;  // the next GPU of the node must have a card of its own
        }
        const int channels = std::min(ring_channels(speed, crossing), kMost);
        if (static_cast<float>(channels) * speed >
            static_cast<float>(best.channels) * best.intra_gb_per_s) {
          best.channels = channels;
          best.intra_gb_per_s = best.inter_gb_per_s = taken = speed;
          best.crosses_cards = crossing;
          best.inter = crossing || comes_back() ? near_ : NcclPath::pxn;
        }
      }
      if (best.channels == kMost || is_full(best)) {
        break;
      }
    }
    double_channels(best, kMost);
    return best;
  }

  // Finds the fastest tree with `channels` channels. This must be the number of channels of the
  // ring.
  [[nodiscard]] NcclGraph tree(int channels) const {
    NcclGraph best = graph(gpus_ == 1 ? kNcclPlainTree : kNcclBalancedTree);
    best.same_channels = !between_ || gpus_ == 1 || nics_ == 1;
    if (!comes_back() && machine_.capability >= 90) {
      best.pattern = kNcclPlainTree;  // no card is near two GPUs
    } else if (!comes_back() && !formulas_.trees_through_cpus) {
      return fallback(best);
    } else if (!comes_back()) {
      // The second GPU receives through the processor. The search places two GPUs on two sockets.
      best.inter = gpus_ < kFewGpus ? NcclPath::sys : NcclPath::phb;
    }
    const double total = gpus_ > 1 ? total_ * gpus_ / (gpus_ - 1.0) : total_;
    std::size_t i = first(channels, total);
    while (i < speeds_.size() &&
           !(cards_carry(speeds_[i], channels) && tree_fits(speeds_[i], channels, best))) {
      ++i;
    }
    if (i == speeds_.size()) {
      return best;
    }
    best.channels = channels;
    best.intra_gb_per_s = best.inter_gb_per_s = speeds_[i];
    if (!between_ &&
        (machine_.pairs || channels > times_in(machine_.nvlink_gb_per_s, speeds_[i]))) {
      // With many chains, the search finds only those of plain trees in time.
      constexpr int kManyChannels = 12;
      best.same_channels = false;
      if (machine_.capability >= 90 && !machine_.pairs &&
          (gpus_ == kFewGpus || (gpus_ > 2 && channels > kManyChannels))) {
        best.pattern = kNcclPlainTree;
      }
    }
    // Raises the bandwidth within a node until it is twice that between nodes.
    while (i > 0 && best.intra_gb_per_s < 2 * best.inter_gb_per_s &&
           tree_fits(speeds_[i - 1], channels, best) &&
           found_in_time(speeds_[i - 1], channels, best)) {
      best.intra_gb_per_s = speeds_[--i];
    }
    return best;
  }

  // Finds channels of NVLink multicast. Each channel has a head, which is a GPU that receives and
  // sends twice as much as the others.
  [[nodiscard]] NcclGraph multicast() const {
    constexpr std::uint32_t kMostHeads = 32;
    NcclGraph best = graph(kNcclMulticast);
    best.same_channels = false;
    if (machine_.capability < 90 || gpus_ < 2 || machine_.nvlink_gb_per_s <= 0 || machine_.pairs) {
      best.intra_gb_per_s = best.inter_gb_per_s = 0;
      return best;
    }
    const auto most = static_cast<int>(std::min({gpus_, kMostHeads, between_ ? nics_ : gpus_}));
    const double total = total_ * gpus_ / (gpus_ - 1.0);
    std::size_t at = 0;
    for (std::size_t i = first(between_ ? 1 : most, total); i < speeds_.size(); ++i) {
      const float speed = speeds_[i];
      if (best.channels > 0 && speed / best.inter_gb_per_s <= .49F) {
        break;
      }
      const int fit = times_in(machine_.nvlink_gb_per_s, speed);
      const int channels = std::min(fit - 1, most);
      const bool enough = channels >= (between_ ? 1 : most);
      if (enough && (channels > best.channels ||
                     static_cast<float>(channels) * speed >
                         static_cast<float>(best.channels) * best.inter_gb_per_s)) {
        best.channels = channels;
        best.intra_gb_per_s = best.inter_gb_per_s = speed;
        at = i;
        if (channels == most || static_cast<float>(channels) * speed >= total_) {
          break;
        }
      }
    }
    // Raises the bandwidth between nodes until it reaches the bandwidth of the cards, or twice the
    // bandwidth within a node. With a single node, the cards do not limit this bandwidth.
    while (best.channels > 0 && at > 0 && best.inter_gb_per_s < 2 * best.intra_gb_per_s &&
           (!between_ || speeds_[at - 1] <= most_)) {
      best.inter_gb_per_s = speeds_[--at];
    }
    return best;
  }

 private:
  static constexpr std::uint32_t kFewGpus = 4;
  static constexpr int kNcclRing = 4;
  static constexpr int kNcclMulticast = 5;

  // True if the channels of the ring fill the links of a GPU, so that the search ends.
  [[nodiscard]] bool is_full(const NcclGraph& ring) const {
    return static_cast<float>(ring.channels) * ring.intra_gb_per_s >= static_cast<float>(total_);
  }

  // Returns what NCCL uses if its search finds nothing.
  [[nodiscard]] static NcclGraph fallback(NcclGraph graph) {
    graph.channels = 1;
    graph.intra_gb_per_s = graph.inter_gb_per_s = 0.1F;
    graph.intra = graph.inter = NcclPath::sys;
    graph.same_channels = true;
    return graph;
  }

  [[nodiscard]] NcclGraph graph(int pattern) const {
    NcclGraph graph;
    graph.pattern = pattern;
    graph.inter_latency_us = between_ ? static_cast<float>(machine_.nic_latency_us) : 0;
    graph.intra = gpus_ == 1 ? NcclPath::loc : NcclPath::nvl;
    graph.inter = near_;
    return graph;
  }

  [[nodiscard]] std::size_t first(int channels, double total) const {
    std::size_t i = 0;
    while (i + 1 < speeds_.size() &&
           (speeds_[i] > most_ || static_cast<double>(speeds_[i]) * channels > total)) {
      ++i;
    }
    return i;
  }

  // True if the network can carry `channels` channels of `speed` GB/s. A GPU's PCI link carries the
  // traffic of the cards near that GPU.
  [[nodiscard]] bool cards_carry(float speed, int channels) const {
    return !between_ || channels <= between_channels(speed);
  }
  [[nodiscard]] int between_channels(float speed) const {
    const int of_cards = static_cast<int>(nics_) * times_in(machine_.nic_gb_per_s, speed);
    const auto near = static_cast<int>(std::min(nics_, gpus_));
    return std::min(of_cards, near * times_in(machine_.pci_gb_per_s, speed));
  }

  // True if a ring can return to the card through which it entered the node, within a PCI switch:
  // the switch has a second GPU, or the node has a single GPU.
  [[nodiscard]] bool comes_back() const { return !between_ || gpus_ == 1 || shared_switch_; }

  // Number of channels that can use an NVLink of a node at the same time, over all links.
  [[nodiscard]] int link_uses(float speed) const {
    const auto links = static_cast<int>(machine_.pairs ? gpus_ * (gpus_ - 1) : gpus_);
    return links * times_in(machine_.nvlink_gb_per_s, speed);
  }

  // Number of channels that a ring can have. The last GPU of a channel does not use its outgoing
  // NVLink, unless it sends to the card through the first GPU (PXN). The last GPU may be a
  // different one for each channel.
  [[nodiscard]] int ring_channels(float speed, bool crossing) const {
    const auto gpus = static_cast<int>(gpus_);
    if (!between_) {
      return gpus_ == 1 ? kNcclMostChannels / 2 : link_uses(speed) / gpus;
    }
    const int cards = between_channels(speed);
    if (gpus_ == 1) {
      return cards;
    }
    return std::min(cards, link_uses(speed) / (crossing || comes_back() ? gpus - 1 : gpus));
  }

  // Completes the ring of nodes whose GPUs cannot reach another GPU's card. A ring must leave
  // through the card of its last GPU, if there is one.
  [[nodiscard]] NcclGraph ring_without_relay(NcclGraph ring) const {
    constexpr float kBetweenCpus = 6;
    ring.inter = near_;
    ring.channels = static_cast<int>(nics_);
    float most = static_cast<float>(most_);
    if (nics_ == 1) {
      // The data of the last GPU pass the processors of others.
      ring.inter = NcclPath::sys;
      ring.channels = std::min(times_in(most_, kBetweenCpus), static_cast<int>(gpus_) - 1);
      ring.same_channels = ring.channels == 1;
      most = kBetweenCpus;
    } else {
      ring.crosses_cards = true;
      if (nics_ % 2 == 1 && !formulas_.rings_of_odd_cards) {
        ring.channels *= 2;
        most /= 2;
      }
    }
    const auto speed = std::ranges::find_if(speeds_, [&](float each) { return each <= most; });
    if (speed == speeds_.end()) {
      ring.channels = 0;
      return ring;
    }
    ring.intra_gb_per_s = ring.inter_gb_per_s = *speed;
    double_channels(ring, kNcclMostChannels / 2);
    return ring;
  }

  [[nodiscard]] bool tree_fits(float speed, int channels, const NcclGraph& tree) const {
    if (gpus_ == 1) {
      return true;
    }
    const int fit = times_in(machine_.nvlink_gb_per_s, speed);
    const auto gpus = static_cast<int>(gpus_);
    if (between_ && tree.pattern == kNcclPlainTree && !machine_.pairs) {
      // All chains run through the GPUs in the same order, so they spare the NVLink of the same
      // GPUs if cards are fewer than GPUs.
      const int spared = nics_ == gpus_ ? channels / gpus : 0;
      return channels - spared <= fit;
    }
    const int hops = channels * (gpus - 1);
    if (between_ || gpus_ == 2) {
      return hops <= link_uses(speed);
    }
    // If all channels have the same chain, they use the same links. Otherwise, the search stops at
    // its limit of steps, except on small nodes, with few channels or some links to spare.
    constexpr int kFewChannels = 8;
    return channels <= fit ||
           (gpus_ <= kFewGpus &&
            (hops < link_uses(speed) || (hops == link_uses(speed) && channels <= kFewChannels)));
  }

  // False if NCCL's search for a tree through the processor stops, at its limit of steps, before it
  // finds a solution whose chains fill the links almost completely.
  [[nodiscard]] bool found_in_time(float speed, int channels, const NcclGraph& tree) const {
    return tree.inter < NcclPath::phb || gpus_ <= kFewGpus ||
           channels < times_in(machine_.nvlink_gb_per_s, speed);
  }

  // Doubles the number of channels, up to `most`, and divides their bandwidth accordingly. Does so
  // only if channels are fast; on Hopper or newer GPUs, they must also be few, or even faster.
  void double_channels(NcclGraph& graph, int most) const {
    constexpr float kFast = 25;
    constexpr float kFastOfHopper = 50;
    constexpr int kFew = 4;
    if (graph.channels == 0 || graph.intra_gb_per_s < kFast ||
        (machine_.capability > 80 && graph.intra_gb_per_s < kFastOfHopper &&
         graph.channels > kFew)) {
      return;
    }
    const int doubled = std::min(2 * graph.channels, most);
    const int whole = (doubled + graph.channels - 1) / graph.channels;
    const auto parts = static_cast<float>(whole);
    graph.intra_gb_per_s /= parts;
    graph.inter_gb_per_s /= parts;
    graph.channels = doubled;
  }

  const NcclMachine& machine_;
  std::uint32_t gpus_;
  std::uint32_t nics_;
  bool shared_switch_;
  bool own_cpus_;
  bool relays_;  // a GPU can reach another GPU's card over NVLink (PXN)
  const NcclFormulas& formulas_;
  bool between_;
  NcclPath near_;  // path from a card to its GPU
  double total_;
  double most_;
  std::vector<float> speeds_;
};

}  // namespace

std::span<const NcclGpu> nccl_gpus() { return kGpus; }

const NcclGpu* nccl_gpu_named(std::string_view name) {
  const auto found = std::find_if(kGpus.begin(), kGpus.end(),
                                  [&](const NcclGpu& gpu) { return gpu.name == name; });
  return found == kGpus.end() ? nullptr : &*found;
}

namespace {

// Reduces `graph` to what the nodes of `other` have, too.
void align(NcclGraph& graph, const NcclGraph& other) {
  graph.channels = std::min(graph.channels, other.channels);
  graph.same_channels = graph.same_channels && other.same_channels;
  graph.intra_gb_per_s = std::min(graph.intra_gb_per_s, other.intra_gb_per_s);
  graph.inter_gb_per_s = std::min(graph.inter_gb_per_s, other.inter_gb_per_s);
  graph.intra = std::max(graph.intra, other.intra);
  graph.inter = std::max(graph.inter, other.inter);
  graph.crosses_cards = graph.crosses_cards || other.crosses_cards;
}

// Reduces the graphs of the cluster to what a last node of `gpus` GPUs has, too. Each node searches
// for its own graphs, and the ranks then agree on the fewest channels and the lowest bandwidths.
//
// Source: NVIDIA/nccl 73cf1122 (2.30.7), src/init.cc, initTransportsRank.
void align_with_last_node(const NcclMachine& machine, std::uint32_t gpus,
                          const NcclRelease& release, NcclCluster& cluster) {
  NcclMachine last = machine;
  last.nics_per_node =
      (gpus * machine.nics_per_node + machine.gpus_per_node - 1) / machine.gpus_per_node;
  const Search search(last, gpus, true, release);
  const NcclGraph ring = search.ring();
  const NcclGraph tree = search.tree(ring.channels);
  NcclGraphs& graphs = cluster.graphs;
  align(graphs.ring, ring);
  align(graphs.tree, tree);
  graphs.ring.channels = graphs.tree.channels =
      std::min(graphs.ring.channels, graphs.tree.channels);
  align(graphs.nvls, search.multicast());
  cluster.plain_in_last_node = tree.pattern == kNcclPlainTree;
}

}  // namespace

NcclCluster cluster_of(const NcclMachine& described, std::uint32_t ranks,
                       const NcclRelease& release) {
  NcclMachine machine = described;
  if (!machine.amd_gpu.empty()) {
    return rccl_cluster(machine.amd_gpu, machine.cpu, ranks);
  }
  machine.nvlink_gb_per_s *= nccl_link_share(machine.capability, release);
  if (machine.gpus_per_node == 0) {
    throw UserError("the number of GPUs per node is 0; it must be 1 or more");
  }
  constexpr std::uint32_t kMostWithPairs = 4;
  const std::uint32_t gpus = std::min(machine.gpus_per_node, ranks);
  NcclCluster cluster;
  cluster.release = &release;
  cluster.ranks = ranks;
  cluster.nodes = gpus == 0 ? 1 : (ranks + gpus - 1) / gpus;
  cluster.lowest_capability = cluster.highest_capability = machine.capability;
  cluster.cpu = machine.cpu;
  const bool between = cluster.nodes > 1;
  if (gpus > 1 && machine.nvlink_gb_per_s <= 0) {
    throw UserError(
        fmt::format("{} GPUs on a node without NVLink: the result of NCCL's search depends on the "
                    "PCI tree; give $graph with the file that NCCL wrote to NCCL_GRAPH_DUMP_FILE",
                    gpus));
  }
  if (between && (machine.nics_per_node == 0 || machine.nic_gb_per_s <= 0)) {
    throw UserError(fmt::format("{} nodes, but no network between them; give $nics and $nic_bw",
                                cluster.nodes));
  }
  if (machine.nics_per_node > machine.gpus_per_node && between) {
    throw UserError(
        fmt::format("$nics '{}': more cards than the {} GPUs of a node; NCCL's search uses at most "
                    "one card for each GPU, so give $nics={} and their $nic_bw",
                    machine.nics_per_node, machine.gpus_per_node, machine.gpus_per_node));
  }
  if (machine.gpus_per_switch < 1 || machine.gpus_per_switch > 2) {
    throw UserError(
        fmt::format("$gpus_per_switch '{}': must be 1 or 2; for other nodes, give "
                    "$graph with the file that NCCL wrote to NCCL_GRAPH_DUMP_FILE",
                    machine.gpus_per_switch));
  }
  if (machine.pairs && gpus > kMostWithPairs) {
    throw UserError(
        fmt::format("$gpus_per_node '{}': NVLinks between pairs join at most {} GPUs; for other "
                    "nodes, give $graph with the file that NCCL wrote to NCCL_GRAPH_DUMP_FILE",
                    gpus, kMostWithPairs));
  }
  const Search search(machine, gpus, between, release);
  NcclGraphs& graphs = cluster.graphs;
  graphs.ring = search.ring();
  if (graphs.ring.channels == 0) {
    throw UserError(
        "NCCL's search finds no ring: links are slower than the slowest channel that NCCL tries; "
        "give $graph with the file that NCCL wrote to NCCL_GRAPH_DUMP_FILE");
  }
  graphs.tree = search.tree(graphs.ring.channels);
  graphs.nvls = search.multicast();
  const std::uint32_t of_last = ranks % gpus == 0 ? gpus : ranks % gpus;
  if (of_last < gpus) {
    align_with_last_node(machine, of_last, release, cluster);
  }
  cluster.cards = between ? std::min(machine.nics_per_node, gpus) : 0;
  cluster.nvls =
      graphs.nvls.channels > 0 && (of_last > 2 || release.formulas.multicast_of_two_gpus);
  cluster.nvlink_switches = machine.nvlink_gb_per_s > 0 && !machine.pairs;
  return cluster;
}

}}  // namespace tutti::cost_models
