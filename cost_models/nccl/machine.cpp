#include "cost_models/nccl/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tutti { inline namespace cost_models {

namespace {

// NVLink bandwidth is the number of links per GPU times NCCL's bandwidth of one link
// (SM80_NVLINK_BW and so on). PCI is of generation 4, 5 or 6. Network cards have 200, 400 or 800
// Gb/s. The numbers of links and the cards are from NVIDIA's data sheets of DGX and HGX A100, H100,
// H200, B200 and B300, and of GB200 and GB300 NVL72.
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
    NcclGpu{"gb200", {100, NcclCpu::arm, 72, 18 * kBlackwellLink, kGen5, 72, 50}},
    NcclGpu{"gb300", {103, NcclCpu::arm, 72, 18 * kBlackwellLink, kGen6, 72, 100}},
};

// Bandwidths that the search tries for a channel, in GB/s, the highest first.
constexpr std::array kIntra80{40.0F, 30.0F, 20.0F, 18.0F, 15.0F, 12.0F, 10.0F,
                              9.0F,  7.0F,  6.0F,  5.0F,  4.0F,  3.0F};
constexpr std::array kInter80{48.0F, 30.0F, 28.0F, 24.0F, 20.0F, 18.0F, 15.0F, 12.0F, 10.0F, 9.0F,
                              7.0F,  6.0F,  5.0F,  4.0F,  3.0F,  2.4F,  1.2F,  0.24F, 0.12F};
constexpr std::array kIntra90{60.0F, 50.0F, 40.0F, 30.0F, 24.0F, 20.0F,
                              15.0F, 12.0F, 11.0F, 6.0F,  3.0F};
constexpr std::array kInter90{48.0F, 45.0F, 42.0F, 40.0F, 30.0F, 24.0F, 22.0F, 20.0F, 17.5F,
                              15.0F, 12.0F, 6.0F,  3.0F,  2.4F,  1.2F,  0.24F, 0.12F};
constexpr std::array kIntra100{90.0F, 80.0F, 70.0F, 60.0F, 50.0F, 45.0F,
                               40.0F, 30.0F, 24.0F, 20.0F, 19.0F, 18.0F};
constexpr std::array kInter100{96.0F, 86.0F, 80.0F, 48.0F, 45.1F, 42.0F, 40.0F,
                               30.0F, 24.0F, 22.0F, 20.0F, 17.5F, 15.0F, 12.0F,
                               6.0F,  3.0F,  2.4F,  1.2F,  0.24F, 0.12F};

// Bandwidths of Blackwell that the search tries only from a release on.
struct LaterSpeed {
  float gb_per_s;
  bool between;  // between nodes
  int minor;
  int patch;
};
constexpr std::array kLaterSpeeds{
    LaterSpeed{96.0F, true, 27, 6},
    LaterSpeed{45.0F, false, 29, 2},
    LaterSpeed{80.0F, true, 29, 7},
    LaterSpeed{86.0F, true, 30, 3},
};

// Returns the bandwidths that the search of a release tries.
std::vector<float> speeds_of(std::span<const float> all, int capability, bool between,
                             const NcclRelease& release) {
  std::vector<float> speeds(all.begin(), all.end());
  for (const LaterSpeed& later : kLaterSpeeds) {
    const bool known =
        std::pair(release.minor, release.patch) >= std::pair(later.minor, later.patch);
    if (capability >= 100 && between == later.between && !known) {
      std::erase(speeds, later.gb_per_s);
    }
  }
  return speeds;
}

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
        pairs_(machine.gpus_per_switch > 1 && gpus % 2 == 0),
        between_(between),
        total_(std::max(machine.nvlink_gb_per_s, machine.pci_gb_per_s)),
        most_(between     ? std::min(machine.nic_gb_per_s, machine.pci_gb_per_s)
              : gpus == 1 ? 5000.0
                          : machine.nvlink_gb_per_s) {
    const int capability = machine.capability;
    const auto all = between ? (capability >= 100  ? std::span<const float>(kInter100)
                                : capability >= 90 ? std::span<const float>(kInter90)
                                                   : std::span<const float>(kInter80))
                             : (capability >= 100  ? std::span<const float>(kIntra100)
                                : capability >= 90 ? std::span<const float>(kIntra90)
                                                   : std::span<const float>(kIntra80));
    speeds_ = speeds_of(all, capability, between, release);
  }

  // Finds the ring with the most bandwidth. Tries speeds from the highest down, until the links are
  // full or the speed is less than half of the best one.
  [[nodiscard]] NcclGraph ring() const {
    constexpr int kMost = kNcclMostChannels / 2;
    NcclGraph best = graph(kNcclRing);
    best.same_channels = !between_ || gpus_ == 1 || nics_ == 1;
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
        if (crossing && (comes_back() || nics_ < gpus_)) {
          continue;  // the next GPU of the node must have a card of its own
        }
        const int channels = std::min(ring_channels(speed, crossing), kMost);
        if (static_cast<float>(channels) * speed >
            static_cast<float>(best.channels) * best.intra_gb_per_s) {
          best.channels = channels;
          best.intra_gb_per_s = best.inter_gb_per_s = taken = speed;
          best.crosses_cards = crossing;
          best.inter = crossing || comes_back() ? NcclPath::pix : NcclPath::pxn;
        }
      }
      if (best.channels > 0 &&
          (best.channels == kMost || static_cast<float>(best.channels) * taken >= total_)) {
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
    if (!between_ && channels > times_in(machine_.nvlink_gb_per_s, speeds_[i])) {
      // With many chains, the search finds only those of plain trees in time.
      constexpr int kManyChannels = 12;
      best.same_channels = false;
      if (machine_.capability >= 90 &&
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
    if (machine_.capability < 90 || gpus_ < 2 || machine_.nvlink_gb_per_s <= 0) {
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

  [[nodiscard]] NcclGraph graph(int pattern) const {
    NcclGraph graph;
    graph.pattern = pattern;
    graph.inter_latency_us = between_ ? static_cast<float>(machine_.nic_latency_us) : 0;
    graph.intra = gpus_ == 1 ? NcclPath::loc : NcclPath::nvl;
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
  [[nodiscard]] bool comes_back() const { return !between_ || gpus_ == 1 || pairs_; }

  // Number of channels that a ring can have. The last GPU of a channel does not use its outgoing
  // NVLink, unless it sends to the card through the first GPU (PXN). The last GPU may be a
  // different one for each channel.
  [[nodiscard]] int ring_channels(float speed, bool crossing) const {
    const int fit = times_in(machine_.nvlink_gb_per_s, speed);
    if (!between_) {
      return gpus_ == 1 ? kNcclMostChannels / 2 : fit;
    }
    const int cards = between_channels(speed);
    if (gpus_ == 1) {
      return cards;
    }
    const int inside = crossing || comes_back()
                           ? static_cast<int>(gpus_) * fit / static_cast<int>(gpus_ - 1)
                           : fit;
    return std::min(cards, inside);
  }

  [[nodiscard]] bool tree_fits(float speed, int channels, const NcclGraph& tree) const {
    if (gpus_ == 1) {
      return true;
    }
    const int fit = times_in(machine_.nvlink_gb_per_s, speed);
    const auto gpus = static_cast<int>(gpus_);
    if (between_ && tree.pattern == kNcclPlainTree) {
      // All chains run through the GPUs in the same order, so they spare the NVLink of the same
      // GPUs if cards are fewer than GPUs.
      const int spared = nics_ == gpus_ ? channels / gpus : 0;
      return channels - spared <= fit;
    }
    const int hops = channels * (gpus - 1);
    if (between_ || gpus_ == 2) {
      return hops <= gpus * fit;
    }
    // If all channels have the same chain, they use the same links. Otherwise, the search stops at
    // its limit of steps, except on small nodes, with few channels or some links to spare.
    constexpr int kFewChannels = 8;
    return channels <= fit ||
           (gpus_ <= kFewGpus &&
            (hops < gpus * fit || (hops == gpus * fit && channels <= kFewChannels)));
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
  bool pairs_;
  bool between_;
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

NcclCluster cluster_of(const NcclMachine& machine, std::uint32_t ranks,
                       const NcclRelease& release) {
  if (machine.gpus_per_node == 0) {
    throw UserError("the number of GPUs per node is 0; it must be 1 or more");
  }
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
  cluster.cards = between ? std::min(machine.nics_per_node, gpus) : 0;
  cluster.nvls = graphs.nvls.channels > 0;
  cluster.nvlink_switches = machine.nvlink_gb_per_s > 0;
  return cluster;
}

}}  // namespace tutti::cost_models
