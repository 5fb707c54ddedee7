#include "cost_models/nccl/fabric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cost_models/nccl/costs.hpp"

namespace tutti { inline namespace cost_models {

namespace {

using Fabric = NcclFabric;

constexpr std::array kParameters = {
    NcclFabricParameter{
        "path_growth", "",
        "share by which a hop gets longer with each doubling of the nodes, from two on",
        &Fabric::path_growth, 0.1, 1e-6, 10},
    NcclFabricParameter{"eager_bytes", "B",
                        "longest message of LL, flags included, that needs no rendezvous",
                        &Fabric::eager_bytes, 4096, 1, 1e12},
    NcclFabricParameter{"ll_hop_s", "s", "time of a hop of a tree with LL between two nodes",
                        &Fabric::ll_hop_s, 5e-6, 1e-9, 1},
    NcclFabricParameter{"ll_message_s", "s",
                        "more time of a hop with LL whose messages are longer than eager_bytes",
                        &Fabric::ll_message_s, 5e-6, 1e-9, 1},
    NcclFabricParameter{"ll_channels_s", "s",
                        "more time of such a hop for each doubling of the channels",
                        &Fabric::ll_channels_s, 1e-6, 1e-10, 1},
    NcclFabricParameter{"ll_hop_bytes_per_s", "B/s",
                        "rate of a hop of a tree with LL, flags included, before the next hop "
                        "begins; data beyond that move at this rate, up and down together",
                        &Fabric::ll_hop_bytes_per_s, 20e9, 1e3, 1e15},
    NcclFabricParameter{"ll_ring_step_s", "s",
                        "time of a step of a ring with LL, in addition to that of NCCL's model",
                        &Fabric::ll_ring_step_s, 2e-6, 1e-9, 1},
    NcclFabricParameter{"ll_ring_bytes_per_s", "B/s",
                        "rate at which a rank sends data with LL in a ring",
                        &Fabric::ll_ring_bytes_per_s, 5e9, 1e3, 1e15},
    NcclFabricParameter{"ll128_hop_s", "s", "time of a hop of a tree with LL128 between two nodes",
                        &Fabric::ll128_hop_s, 6e-6, 1e-9, 1},
    NcclFabricParameter{"ll128_hop_bytes_per_s", "B/s",
                        "rate of a hop of a tree with LL128, before the next hop begins",
                        &Fabric::ll128_hop_bytes_per_s, 50e9, 1e3, 1e15},
    NcclFabricParameter{"ll128_ring_step_s", "s",
                        "time of a step of a ring with LL128, in addition to that of NCCL's model",
                        &Fabric::ll128_ring_step_s, 2e-6, 1e-9, 1},
    NcclFabricParameter{"ll128_ring_share", "",
                        "share of the bandwidth in NCCL's model that a ring with LL128 reaches",
                        &Fabric::ll128_ring_share, 0.9, 1e-3, 100},
    NcclFabricParameter{"simple_hop_s", "s",
                        "time of a hop of a tree with Simple between two nodes",
                        &Fabric::simple_hop_s, 15e-6, 1e-9, 1},
    NcclFabricParameter{"simple_hop_bytes_per_s", "B/s",
                        "rate of a hop of a tree with Simple, before the next hop begins",
                        &Fabric::simple_hop_bytes_per_s, 100e9, 1e3, 1e15},
    NcclFabricParameter{"tree_hop_bytes", "B",
                        "how many bytes of a call a tree with Simple moves over a hop before the "
                        "next hop begins",
                        &Fabric::tree_hop_bytes, 8e6, 1, 1e15},
    NcclFabricParameter{"tree_bytes_per_s", "B/s",
                        "rate at which a tree with Simple over more than two nodes reduces and "
                        "returns a long call",
                        &Fabric::tree_bytes_per_s, 50e9, 1e3, 1e15},
    NcclFabricParameter{"tree_nodes", "nodes",
                        "number of nodes from which trees with Simple get slow (see the formula)",
                        &Fabric::tree_nodes, 200, 1, 1e9},
    NcclFabricParameter{"ring_step_s", "s", "least time of a step of a ring with Simple",
                        &Fabric::ring_step_s, 20e-6, 1e-9, 1},
    NcclFabricParameter{"ring_share", "",
                        "share of the bandwidth in NCCL's model that a ring with Simple reaches",
                        &Fabric::ring_share, 1, 1e-3, 100},
};

// Bytes that NCCL moves over a hop of a tree in each channel before the next hop begins: a step of
// the buffers (schedules/patterns/nccl_chunks.cpp).
constexpr double kLlChunk = 32 << 10;
constexpr double kLl128Chunk = 576'000;

// Bytes that LL sends for each byte of data, and LL128.
constexpr double kLlSent = 2;
constexpr double kLl128Sent = 128.0 / 120;

// A call of one way, in the units of the fabric.
class Call {
 public:
  Call(const NcclModel& model, const NcclFabric& fabric, Collective collective,
       NcclAlgorithm algorithm, NcclProtocol protocol, std::uint64_t bytes)
      : fabric_(fabric),
        cost_(model.cost(collective, algorithm, protocol)),
        protocol_(protocol),
        bytes_(static_cast<double>(bytes)),
        ranks_(model.cluster().ranks),
        nodes_(model.cluster().nodes),
        passes_(collective == Collective::allreduce ? 2 : 1),
        channels_(model.channels_for(algorithm, protocol, bytes)),
        hops_(2 * nccl_lg(model.cluster().nodes)),
        own_hop_s_(nccl_network_us(model.cluster(), algorithm, protocol) / 1e6) {}

  [[nodiscard]] double tree_s() const {
    const double in_node_s = double{cost_.latency_us} / 1e6 - hops_ * own_hop_s_;
    const double hop_s = this->hop_s() + hop_bytes_s();
    return in_node_s + hops_ * hop_s + rest_s();
  }

  // Time of a hop of a tree without the bytes.
  [[nodiscard]] double hop_s() const {
    const double longer = 1 + fabric_.path_growth * (std::log2(nodes_) - 1);
    switch (protocol_) {
      case NcclProtocol::simple:
        return fabric_.simple_hop_s * longer;
      case NcclProtocol::ll128:
        return fabric_.ll128_hop_s * longer;
      case NcclProtocol::ll:
        break;
    }
    if (std::isnan(fabric_.eager_bytes)) {
      return NcclFabric::kUnknown;
    }
    if (kLlSent * window() / channels_ <= fabric_.eager_bytes) {
      return fabric_.ll_hop_s * longer;
    }
    const double of_channels = channels_ > 1 ? fabric_.ll_channels_s * std::log2(channels_) : 0;
    return fabric_.ll_hop_s * longer + fabric_.ll_message_s + of_channels;
  }

  // Rate of the data of a call on a hop of a tree, before the next hop begins.
  [[nodiscard]] double hop_bytes_per_s() const {
    return protocol_ == NcclProtocol::simple  ? fabric_.simple_hop_bytes_per_s
           : protocol_ == NcclProtocol::ll128 ? fabric_.ll128_hop_bytes_per_s / kLl128Sent
                                              : fabric_.ll_hop_bytes_per_s / kLlSent;
  }

  [[nodiscard]] double ring_s() const {
    return all_steps_s() + (protocol_ == NcclProtocol::simple ? 0 : double{cost_.latency_us} / 1e6);
  }

  [[nodiscard]] NcclNetworkHop hop_of_ring() const { return {own_hop_s_, sent() / all_steps_s()}; }

  // The bytes beyond the hops go up and down.
  [[nodiscard]] NcclNetworkHop hop_of_tree() const {
    const double rest_rate = protocol_ == NcclProtocol::simple ? sent_by_node() / rest_s()
                             : protocol_ == NcclProtocol::ll
                                 ? 2 * fabric_.ll_hop_bytes_per_s
                                 : std::numeric_limits<double>::infinity();
    return {hop_s() + hop_bytes_s(), rest_rate};
  }

 private:
  // Time of the steps of a ring and of their bytes.
  [[nodiscard]] double all_steps_s() const {
    const double step_s = protocol_ == NcclProtocol::simple  ? fabric_.ring_step_s
                          : protocol_ == NcclProtocol::ll128 ? fabric_.ll128_ring_step_s
                                                             : fabric_.ll_ring_step_s;
    const double steps_s = passes_ * (ranks_ - 1) * step_s;
    if (protocol_ != NcclProtocol::simple) {
      return steps_s + bytes_s();
    }
    // The longer of the two, and up to a fifth more where they are alike.
    constexpr double kPower = 4;
    return std::pow(std::pow(steps_s, kPower) + std::pow(bytes_s(), kPower), 1 / kPower);
  }
  [[nodiscard]] double sent() const { return passes_ * (1 - 1 / ranks_) * bytes_; }

  // The most bytes that a node sends in a tree, up and down.
  [[nodiscard]] double sent_by_node() const { return nodes_ > 2 ? 2 * bytes_ : bytes_; }

  // Bytes of the call that a hop of a tree moves before the next one begins.
  [[nodiscard]] double window() const {
    const double most = protocol_ == NcclProtocol::simple  ? fabric_.tree_hop_bytes
                        : protocol_ == NcclProtocol::ll128 ? kLl128Chunk * channels_
                                                           : kLlChunk * channels_;
    return std::min(bytes_, most);
  }

  [[nodiscard]] double hop_bytes_s() const { return window() / hop_bytes_per_s(); }

  // Time of the bytes of a tree beyond the hops.
  [[nodiscard]] double rest_s() const {
    if (protocol_ == NcclProtocol::ll) {
      return (bytes_ - window()) / fabric_.ll_hop_bytes_per_s;
    }
    if (protocol_ == NcclProtocol::ll128) {
      return bytes_ / (double{cost_.gb_per_s} * 1e9);
    }
    constexpr double kSlowest = 3;
    return sent_by_node() / 2 / fabric_.tree_bytes_per_s *
           (1 + kSlowest * (1 - std::exp(-nodes_ / fabric_.tree_nodes)));
  }

  [[nodiscard]] double bytes_s() const {
    if (protocol_ == NcclProtocol::ll) {
      return sent() / fabric_.ll_ring_bytes_per_s;
    }
    const double share =
        protocol_ == NcclProtocol::simple ? fabric_.ring_share : fabric_.ll128_ring_share;
    return bytes_ / (double{cost_.gb_per_s} * 1e9 * share);
  }

  const NcclFabric& fabric_;
  NcclCost cost_;
  NcclProtocol protocol_;
  double bytes_;
  double ranks_;
  double nodes_;
  double passes_;
  double channels_;
  double hops_;
  double own_hop_s_;
};

bool covers(const NcclModel& model, Collective collective, NcclAlgorithm algorithm) {
  const bool ring = algorithm == NcclAlgorithm::ring;
  return model.cluster().nodes > 1 && model.cluster().rccl == nullptr &&
         (collective == Collective::allreduce ? ring || algorithm == NcclAlgorithm::tree
                                              : ring && (collective == Collective::allgather ||
                                                         collective == Collective::reduce_scatter));
}

}  // namespace

std::span<const NcclFabricParameter> nccl_fabric_parameters() { return kParameters; }

const NcclFabricParameter* find_nccl_fabric_parameter(std::string_view name) {
  const auto* const found = std::ranges::find(kParameters, name, &NcclFabricParameter::name);
  return found == kParameters.end() ? nullptr : found;
}

NcclFabric nccl_fabric_start() {
  NcclFabric fabric;
  for (const NcclFabricParameter& each : kParameters) {
    fabric.*each.value = each.start;
  }
  return fabric;
}

std::optional<double> nccl_fabric_us(const NcclModel& model, const NcclFabric& fabric,
                                     Collective collective, NcclAlgorithm algorithm,
                                     NcclProtocol protocol, std::uint64_t bytes) {
  if (!covers(model, collective, algorithm) ||
      !model.time_us(collective, algorithm, protocol, bytes)) {
    return std::nullopt;
  }
  const Call call(model, fabric, collective, algorithm, protocol, bytes);
  const double us = 1e6 * (algorithm == NcclAlgorithm::ring ? call.ring_s() : call.tree_s());
  return std::isfinite(us) ? std::optional(us) : std::nullopt;
}

std::optional<NcclNetworkHop> nccl_network_hop(const NcclModel& model, const NcclFabric& fabric,
                                               Collective collective, NcclAlgorithm algorithm,
                                               NcclProtocol protocol, std::uint64_t bytes) {
  if (!nccl_fabric_us(model, fabric, collective, algorithm, protocol, bytes)) {
    return std::nullopt;
  }
  const Call call(model, fabric, collective, algorithm, protocol, bytes);
  return algorithm == NcclAlgorithm::ring ? call.hop_of_ring() : call.hop_of_tree();
}

}}  // namespace tutti::cost_models
