#include "cost_models/nccl/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "cost_models/nccl/constants.hpp"
#include "cost_models/nccl/costs.hpp"
#include "cost_models/nccl/rccl.hpp"

namespace tutti { inline namespace cost_models {

namespace {

using enum NcclAlgorithm;

constexpr std::array kModelled{Collective::bcast, Collective::reduce, Collective::allgather,
                               Collective::reduce_scatter, Collective::allreduce};

std::size_t index_of(Collective collective) {
  const auto found = std::find(kModelled.begin(), kModelled.end(), collective);
  TUTTI_INVARIANT(found != kModelled.end());
  return static_cast<std::size_t>(found - kModelled.begin());
}

}  // namespace

std::span<const Collective> nccl_collectives() { return kModelled; }

NcclModel::NcclModel(NcclCluster cluster) : cluster_(cluster), channels_(nccl_channels(cluster)) {
  if (cluster.ranks < 2 || cluster.nodes < 1 || cluster.nodes > cluster.ranks) {
    throw UserError(fmt::format(
        "{} ranks on {} nodes: NCCL's model needs at least 2 ranks, and a rank on every node",
        cluster.ranks, cluster.nodes));
  }
  constexpr int kBlackwell = 100;
  if (cluster.rccl == nullptr && !cluster.release->formulas.blackwell_known &&
      cluster.lowest_capability >= kBlackwell) {
    throw UserError(fmt::format(
        "{}: tutti does not have its constants for Blackwell GPUs; for these, use NCCL 2.31",
        cluster.release->title()));
  }
  // NCCL first sets the numbers of channels of ring and tree to the smaller of the two.
  NcclGraphs& graphs = cluster_.graphs;
  if (!cluster.nvls) {
    graphs.nvls.channels = 0;  // NCCL does not search for them
  }
  graphs.ring.channels = graphs.tree.channels =
      std::min(graphs.ring.channels, graphs.tree.channels);
  for (const Collective collective : kModelled) {
    for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
      for (std::size_t p = 0; p < kNcclProtocols; ++p) {
        const auto cost = cluster.rccl != nullptr ? rccl_cost : nccl_cost;
        costs_[index_of(collective)][a][p] =
            cost(cluster_, collective, static_cast<NcclAlgorithm>(a), static_cast<NcclProtocol>(p));
      }
    }
  }
}

const NcclCost& NcclModel::cost(Collective collective, NcclAlgorithm algorithm,
                                NcclProtocol protocol) const {
  return costs_[index_of(collective)][static_cast<std::size_t>(algorithm)]
               [static_cast<std::size_t>(protocol)];
}

std::optional<float> NcclModel::time_us(Collective collective, NcclAlgorithm algorithm,
                                        NcclProtocol protocol, std::uint64_t bytes,
                                        int calls) const {
  constexpr int kTreeSizesUsed = 23;
  const NcclFormulas& formulas = cluster_.release->formulas;
  const NcclCost& cost = this->cost(collective, algorithm, protocol);
  if (cost.gb_per_s == 0 || !considered(collective, algorithm)) {
    return std::nullopt;
  }
  if (cluster_.rccl != nullptr) {
    return rccl_time_us(cluster_, cost, algorithm, protocol, bytes, calls);
  }
  float gb_per_s = cost.gb_per_s;
  float latency_us = cost.latency_us;
  const int size = std::max(nccl_lg(bytes >> 6), formulas.tiny_trees_corrected ? 0 : -1);
  const bool allreduce = collective == Collective::allreduce;
  const bool corrected =
      allreduce && size >= 0 &&
      ((algorithm == tree && size < kTreeSizesUsed) ||
       (algorithm == nvls_tree && size < static_cast<int>(nccl_constants::kTreeSizes) &&
        multicast_tree_corrected(size)));
  if (corrected) {
    gb_per_s *= nccl_constants::kTreeCorrection[static_cast<std::size_t>(protocol)]
                                               [static_cast<std::size_t>(size)];
  }
  const auto shares = static_cast<std::uint64_t>(channels_.in_communicator) * cluster_.ranks;
  if (algorithm == ring && protocol == NcclProtocol::simple && has_long_rings(collective) &&
      bytes / shares >= 64) {
    latency_us = static_cast<float>(latency_us * (cluster_.lowest_capability < 80 ? 1.9 : 1.4));
  }
  const int batch = formulas.calls_in_batch;
  const int latencies = algorithm == ring ? calls : (calls + batch - 1) / batch;
  const float time_us =
      latency_us * static_cast<float>(latencies) + static_cast<float>(bytes) / (1000 * gb_per_s);
  // CollNet direct has no defined bandwidth without channels and, up to 2.22, a negative one on
  // more than 66 GPUs per node.
  return time_us >= 0 ? std::optional(time_us) : std::nullopt;
}

// Returns whether the model corrects the bandwidth of an NVLS tree for the size with this
// logarithm.
bool NcclModel::multicast_tree_corrected(int size) const {
  constexpr float kFastCard = 96;
  constexpr int kLarge = 23;
  const NcclFormulas& formulas = cluster_.release->formulas;
  if (!formulas.multicast_trees_corrected || cluster_.lowest_capability < 100) {
    return false;
  }
  if (cluster_.cpu != NcclCpu::arm) {
    return cluster_.cpu != NcclCpu::power;
  }
  return formulas.own_models && cluster_.graphs.nvls.inter_gb_per_s >= kFastCard &&
         cluster_.largest_node() == 4 && cluster_.ranks == 4 * cluster_.nodes &&
         (size < kLarge || cluster_.nodes > 2);
}

// Returns whether the latency of long rings is multiplied by a measured factor.
bool NcclModel::has_long_rings(Collective collective) const {
  if (cluster_.nodes > 1) {
    return collective == Collective::allreduce;
  }
  return cluster_.release->formulas.own_models && cluster_.lowest_capability >= 100 &&
         cluster_.graphs.ring.intra == NcclPath::nvl &&
         (collective == Collective::allgather || collective == Collective::reduce_scatter);
}

std::optional<NcclChoice> NcclModel::choose(Collective collective, std::uint64_t bytes,
                                            int calls) const {
  std::optional<NcclChoice> best;
  float least_us = std::numeric_limits<float>::max();
  const bool last_of_equals = cluster_.rccl == nullptr && cluster_.release->formulas.own_models;
  for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
    for (std::size_t p = 0; p < kNcclProtocols; ++p) {
      const auto algorithm = static_cast<NcclAlgorithm>(a);
      const auto protocol = static_cast<NcclProtocol>(p);
      const std::optional<float> time = time_us(collective, algorithm, protocol, bytes, calls);
      if (time && (*time < least_us || (last_of_equals && *time == least_us))) {
        least_us = *time;
        const int channels = channels_for(algorithm, protocol, bytes);
        best = NcclChoice{algorithm, protocol, *time, channels,
                          threads_of(algorithm, protocol, channels, bytes)};
      }
    }
  }
  return best;
}

bool NcclModel::considered(Collective collective, NcclAlgorithm algorithm) const {
  constexpr std::uint32_t kMostForDirect = 8;
  constexpr std::uint32_t kMostForMulticast = 32;
  const NcclFormulas& formulas = cluster_.release->formulas;
  const std::uint32_t node = cluster_.largest_node();
  const bool gathers = collective != Collective::allreduce;
  switch (algorithm) {
    case collnet_direct:
      return cluster_.collnet && (node <= kMostForDirect || !formulas.direct_limited);
    case collnet_chain:
      return cluster_.collnet && (node <= kMostForDirect || !formulas.chain_limited);
    case nvls:
    case nvls_tree:
      return channels_.nvls > 0 &&
             (!gathers || !formulas.multicast_gathers_limited || node <= kMostForMulticast) &&
             (!gathers || !formulas.own_models ||
              static_cast<std::uint32_t>(cluster_.graphs.nvls.channels) <= kMostForMulticast) &&
             (algorithm == nvls_tree || cluster_.nodes == 1 ||
              (cluster_.collnet && (!gathers || formulas.gathers_between_nodes)));
    default:
      return true;
  }
}

int NcclModel::threads(NcclAlgorithm algorithm, NcclProtocol protocol) const {
  constexpr float kPciGbPerS = 12.0F;
  if (algorithm == pat) {
    return 0;
  }
  if (protocol == NcclProtocol::ll128) {
    return 640;
  }
  const NcclGraph& rings = cluster_.graphs.ring;
  if (algorithm == ring && protocol == NcclProtocol::simple) {
    const bool slow = rings.intra_gb_per_s * static_cast<float>(rings.channels) <= kPciGbPerS;
    return slow && !cluster_.release->formulas.own_models ? 256 : 512;
  }
  return algorithm == ring || algorithm == tree ? 512 : 640;
}

std::uint64_t NcclModel::bytes_of_thread(NcclAlgorithm algorithm, NcclProtocol protocol) const {
  if (algorithm == collnet_direct || algorithm == collnet_chain) {
    return 512;
  }
  const std::uint64_t enough = protocol == NcclProtocol::simple ? 64 : 8;
  return algorithm == ring && protocol == NcclProtocol::ll ? enough * cluster_.ranks : enough;
}

// Follows topoGetAlgoInfo: removes channels, down to one, until each thread has enough bytes.
int NcclModel::channels_for(NcclAlgorithm algorithm, NcclProtocol protocol,
                            std::uint64_t bytes) const {
  if (cluster_.rccl != nullptr) {
    return rccl_channels_for(channels_.rings, cluster_.ranks, algorithm, protocol, bytes);
  }
  if (algorithm == nvls || algorithm == nvls_tree) {
    const bool limited = algorithm == nvls && cluster_.nodes > 1 &&
                         cluster_.release->formulas.multicast_limited_by_rings;
    return limited ? std::min(channels_.nvls, channels_.rings) : channels_.nvls;
  }
  std::uint64_t enough = bytes_of_thread(algorithm, protocol);
  const auto threads = static_cast<std::uint64_t>(this->threads(algorithm, protocol));
  int channels = channels_.rings;
  if (algorithm != collnet_direct) {
    while (channels >= 2 && bytes < static_cast<std::uint64_t>(channels) * threads * enough) {
      --channels;
    }
    return channels;
  }
  const auto heads = static_cast<std::uint64_t>(std::max(cluster_.collnet_heads, 1));
  bool spare = true;
  for (int step = 16; step >= 1 && spare; step /= 2) {
    while ((spare = bytes < static_cast<std::uint64_t>(channels) * threads * heads * enough) &&
           channels > step) {
      if (channels == step + step / 2) {
        enough /= 2;
      }
      --channels;
    }
  }
  return channels;
}

// Follows topoGetAlgoInfo: removes threads until each has enough bytes, then adds a warp of threads
// that only move data or synchronise.
int NcclModel::threads_of(NcclAlgorithm algorithm, NcclProtocol protocol, int channels,
                          std::uint64_t bytes) const {
  constexpr int kMost = 640;
  constexpr int kWarp = 32;
  constexpr int kFewest = 3 * kWarp;
  if (cluster_.rccl != nullptr) {
    return kRcclThreads;
  }
  const bool trees_use_all = cluster_.release->formulas.trees_use_all_threads;
  if ((algorithm == tree && trees_use_all) || algorithm == pat) {
    return kMost;
  }
  int threads = this->threads(algorithm, protocol);
  if (algorithm == ring || algorithm == tree || algorithm == collnet_chain) {
    const std::uint64_t enough = bytes_of_thread(algorithm, protocol);
    while (bytes < static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(threads) *
                       enough &&
           threads % 128 == 0) {
      threads /= 2;
    }
  }
  if (protocol == NcclProtocol::simple) {
    threads += algorithm == ring ? kWarp : algorithm == tree ? 4 * kWarp : 0;
  }
  return std::max(threads, kFewest);
}

}}  // namespace tutti::cost_models
