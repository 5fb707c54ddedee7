#include "cost_models/nccl/rccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "cost_models/nccl/costs.hpp"

namespace tutti { inline namespace cost_models {

namespace {

using enum NcclAlgorithm;
using namespace rccl_constants;

// xGMI bandwidths that RCCL assumes, in GB/s: a link of an MI300X, and one of the links of an
// MI250X, of which a GPU has 7.
constexpr float kMi300xLink = 48;
constexpr float kMi250xLink = 36;

constexpr std::array kNodes{
    RcclNodes{"mi300x", false, 8, 0, 28, 7 * kMi300xLink, 56, &kTuning5, true, true},
    RcclNodes{"mi300x", true, 8, 8, 64, 7 * kMi300xLink, 64, &kTuning5},
    RcclNodes{"mi250x", false, 8, 0, 4, 7 * kMi250xLink, 16, &kTuning0},
    RcclNodes{"mi250x", true, 8, 4, 8, 7 * kMi250xLink, 16, &kTuning3},
};

std::size_t index_of(NcclAlgorithm algorithm) { return algorithm == ring ? 1 : 0; }
std::size_t index_of(NcclProtocol protocol) { return static_cast<std::size_t>(protocol); }

bool one_buffer_of_many(Collective collective) {
  return collective == Collective::allgather || collective == Collective::reduce_scatter;
}

bool rooted(Collective collective) {
  return collective == Collective::bcast || collective == Collective::reduce;
}

int steps_of(Collective collective, int ranks) {
  return collective == Collective::allreduce ? 2 * (ranks - 1)
         : one_buffer_of_many(collective)    ? ranks - 1
                                             : ranks;
}

float ring_latency_us(const NcclCluster& cluster, Collective collective, NcclProtocol protocol) {
  using enum nccl_constants::Link;
  const auto step = [&](nccl_constants::Link link, NcclAlgorithm algorithm) {
    return rccl_step_us(cluster, link, algorithm, protocol);
  };
  constexpr nccl_constants::Link kWithin = nvlink;
  constexpr nccl_constants::Link kBetween = network;
  const auto nodes = static_cast<int>(cluster.nodes);
  const int steps = steps_of(collective, static_cast<int>(cluster.ranks));
  const float base = kBaseUs[index_of(protocol)];
  if (rooted(collective)) {
    // All channels have the same rings.
    return base + step(nodes == 1 ? kWithin : kBetween, ring);
  }
  // Time of each step to post to the network.
  float overhead = 0;
  if (nodes > 1) {
    overhead = cluster.cpu == NcclCpu::amd ? 2.0F : 1.0F;
    overhead *= protocol == NcclProtocol::simple ? 3.0F : 1.0F;
  }
  const int between = collective != Collective::allreduce ? nodes - 1 : nodes > 1 ? 2 * nodes : 0;
  return base + (static_cast<float>(steps - between) * std::max(step(kWithin, ring), overhead) +
                 static_cast<float>(between) * step(kBetween, ring));
}

}  // namespace

NcclCluster rccl_cluster(std::string_view gpu, NcclCpu cpu, std::uint32_t ranks) {
  const RcclNodes* found = nullptr;
  for (const RcclNodes& each : kNodes) {
    if (each.gpu == gpu && each.several == (ranks > each.gpus)) {
      found = &each;
    }
  }
  TUTTI_INVARIANT(found != nullptr);
  if (ranks % found->gpus != 0) {
    throw UserError(
        fmt::format("$ranks '{}': RCCL's rings are known for whole nodes of {} {}; expected a "
                    "multiple of {}",
                    ranks, found->gpus, gpu, found->gpus));
  }
  NcclCluster cluster;
  cluster.release = &rccl_release();
  cluster.rccl = found;
  cluster.ranks = ranks;
  cluster.nodes = ranks / found->gpus;
  cluster.cpu = cpu;
  cluster.nvlink_switches = cluster.nvls = false;
  cluster.cards = found->cards;
  NcclGraph& rings = cluster.graphs.ring;
  rings.channels = found->rings;
  rings.intra_gb_per_s = rings.inter_gb_per_s = found->gb_per_s / static_cast<float>(found->rings);
  cluster.graphs.tree = rings;
  return cluster;
}

NcclCost rccl_cost(const NcclCluster& cluster, Collective collective, NcclAlgorithm algorithm,
                   NcclProtocol protocol) {
  if (!rccl_why_not(cluster, collective, algorithm, protocol).empty()) {
    return {};
  }
  const RcclNodes& of = *cluster.rccl;
  const NcclGraph& graph = cluster.graphs.ring;
  const auto ranks = static_cast<int>(cluster.ranks);
  float bus = static_cast<float>(graph.channels) * graph.intra_gb_per_s;
  bus *= of.tuning->share[cluster.nodes <= 2 ? 0 : 1][index_of(algorithm)][index_of(protocol)];
  if (algorithm == tree) {
    const float within = of.tuning->step_us[0][0][index_of(protocol)];
    const float between = of.tuning->step_us[2][0][index_of(protocol)];
    const int on_node = ranks / static_cast<int>(cluster.nodes);
    const auto others = static_cast<float>(on_node - 1);
    const auto levels = static_cast<float>(nccl_lg(cluster.nodes));
    return {kBaseUs[index_of(protocol)] + 2 * (others * within + levels * between), bus * .5F};
  }
  if (protocol == NcclProtocol::ll && rooted(collective) && of.tuned_for_one_node) {
    bus = static_cast<float>(bus * 1.65);
  }
  const auto share = static_cast<float>(1.0 * ranks / steps_of(collective, ranks));
  return {ring_latency_us(cluster, collective, protocol), bus * share};
}

float rccl_time_us(const NcclCluster& cluster, const NcclCost& cost, NcclAlgorithm algorithm,
                   NcclProtocol protocol, std::uint64_t bytes, int calls) {
  float gb_per_s = cost.gb_per_s;
  if (algorithm == tree || cluster.nodes > 1) {
    const auto size = static_cast<std::size_t>(std::max(nccl_lg(bytes >> 6), 0));
    gb_per_s *=
        cluster.rccl->tuning
            ->corrections[index_of(algorithm)][index_of(protocol)][std::min(size, kSizes - 1)];
  }
  return cost.latency_us * static_cast<float>(calls) +
         static_cast<float>(bytes) / (1000 * gb_per_s);
}

float rccl_step_us(const NcclCluster& cluster, nccl_constants::Link link, NcclAlgorithm algorithm,
                   NcclProtocol protocol) {
  return cluster.rccl->tuning
      ->step_us[static_cast<std::size_t>(link)][index_of(algorithm)][index_of(protocol)];
}

int rccl_channels_for(int most, std::uint32_t ranks, NcclAlgorithm algorithm, NcclProtocol protocol,
                      std::uint64_t bytes) {
  std::uint64_t enough = protocol == NcclProtocol::simple ? 64 : 8;
  if (algorithm == ring && protocol == NcclProtocol::ll) {
    enough *= ranks;
  }
  const std::uint64_t channels = bytes / (kRcclThreads * enough);
  return static_cast<int>(std::clamp<std::uint64_t>(channels, 1, static_cast<std::uint64_t>(most)));
}

std::string_view rccl_why_not(const NcclCluster& cluster, Collective collective,
                              NcclAlgorithm algorithm, NcclProtocol protocol) {
  if (algorithm != ring && algorithm != tree) {
    return "RCCL has no such algorithm for AMD GPUs";
  }
  if (algorithm == tree && collective != Collective::allreduce) {
    return "RCCL has trees only for allreduce";
  }
  if (protocol == NcclProtocol::ll128) {
    return "RCCL does not enable LL128 on these nodes";
  }
  if (algorithm == tree && protocol == NcclProtocol::simple && cluster.rccl->tuned_for_one_node) {
    return "RCCL does not use trees with Simple on a single node of these GPUs";
  }
  return "";
}

}}  // namespace tutti::cost_models
