// How NCCL's protocols use the network of a machine: what the constants of NCCL's cost model leave
// out. The figures are fitted to measured times of nccl-tests (src/experiments/fit/fabric_fit.hpp).
//
// A tree sends up and down, 2 lg k hops between k nodes. A hop takes the time in which a proxy
// thread sends a message and the receiver sees that it is complete, which grows with the length of
// the paths, and the time of the bytes that the hop moves before the next one can begin: of a
// chunk in each channel. With LL, a message longer than eager_bytes takes a rendezvous. Trees over
// many nodes wait for each other: with k nodes, their bytes take 1 + 3 (1 - exp(-k / tree_nodes))
// times as long. This factor is what was measured, not derived. On two nodes, a node sends the data
// once instead of twice, so the bytes take half as long. With LL128, the bytes beyond the hops take
// the time of NCCL's model.
//
// A ring takes a step for each rank, whose time has a least value: with the Simple protocol, the
// longer of this and of the time of the bytes counts; with LL and LL128, both do, in addition to
// the latency of NCCL's model.
//
// The latencies of trees within a node, and NCCL's choices, are those of NCCL's own model.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "cost_models/nccl/model.hpp"

namespace tutti { inline namespace cost_models {

// The numbers of the model. One that is not a number is unknown: the ways that need it have the
// times of NCCL's own model.
struct NcclFabric {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double path_growth = kUnknown;
  double eager_bytes = kUnknown;
  double ll_hop_s = kUnknown;
  double ll_message_s = kUnknown;
  double ll_channels_s = kUnknown;
  double ll_hop_bytes_per_s = kUnknown;
  double ll_ring_step_s = kUnknown;
  double ll_ring_bytes_per_s = kUnknown;
  double ll128_hop_s = kUnknown;
  double ll128_hop_bytes_per_s = kUnknown;
  double ll128_ring_step_s = kUnknown;
  double ll128_ring_share = kUnknown;
  double simple_hop_s = kUnknown;
  double simple_hop_bytes_per_s = kUnknown;
  double tree_hop_bytes = kUnknown;
  double tree_bytes_per_s = kUnknown;
  double tree_nodes = kUnknown;
  double ring_step_s = kUnknown;
  double ring_share = kUnknown;

  friend bool operator==(const NcclFabric&, const NcclFabric&) = default;
};

// A description of one number of the model.
struct NcclFabricParameter {
  std::string_view name;
  std::string_view unit;  // "s", "B", "B/s", "nodes", or "" for a ratio
  std::string_view meaning;
  double NcclFabric::*value;
  double start = 0;  // where a fit begins
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

[[nodiscard]] std::span<const NcclFabricParameter> nccl_fabric_parameters();
// Returns null for an unknown name.
[[nodiscard]] const NcclFabricParameter* find_nccl_fabric_parameter(std::string_view name);
// Returns the model from which fits begin.
[[nodiscard]] NcclFabric nccl_fabric_start();

// A hop between nodes, for simulations of schedules.
struct NcclNetworkHop {
  double s = 0;            // before the next hop can begin
  double bytes_per_s = 0;  // largest rate of the user data that a node sends; may be infinite
};
// Returns the hops of a call that make a simulation take about as long as nccl_fabric_us();
// nothing if the fabric does not cover the way.
[[nodiscard]] std::optional<NcclNetworkHop> nccl_network_hop(
    const NcclModel& model, const NcclFabric& fabric, Collective collective,
    NcclAlgorithm algorithm, NcclProtocol protocol, std::uint64_t bytes);

// Returns the predicted time of a call in microseconds, as NcclModel::time_us(); nothing if NCCL
// would not run the way, or if the fabric does not cover it. Trees and rings between nodes are
// covered, for allreduce, allgather and reduce_scatter.
[[nodiscard]] std::optional<double> nccl_fabric_us(const NcclModel& model, const NcclFabric& fabric,
                                                   Collective collective, NcclAlgorithm algorithm,
                                                   NcclProtocol protocol, std::uint64_t bytes);

}}  // namespace tutti::cost_models
