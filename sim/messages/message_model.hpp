// Models how an MPI library sends messages on a machine: the costs of a message in addition to
// those of the platform's wires and switches, whose latencies and bandwidths are in the platform
// file.
//
// A message occupies the sender's core for send_overhead_s, then the network interface of the
// sender's host for host_gap_s. The latency of the message has three parts: the latency between two
// hosts at one switch, the additional latency of the platform's route, and the additional latency
// of the message's protocol. After the latency, the bytes of the message flow over the links of the
// platform, which all messages share, at no more than the rates at which ranks, and all ranks of a
// host together, can send and receive. At the end, the message occupies the receiver's core for
// receive_overhead_s. Within a host, neither core is occupied for longer than node_overhead_s. This
// is LogGPS (Ino, Fujimoto and Hagihara, PPoPP 2001), with shared links in place of G.
//
// The protocol depends on the size. A message of up to inline_bytes is part of the request that
// announces it. A message of up to eager_bytes leaves at once, through buffers. A larger message
// has a handshake, which costs handshake_s: its sender first asks whether the receiver is ready. A
// message with a handshake and less than bulk_bytes has a rate of at most medium_bytes_per_s.
// Messages of at least long_bytes that a rank sends and receives share the rate long_bytes_per_s.
//
// A rank sends at most `under_way` messages with a handshake at a time, and receives at most as
// many. Other messages wait.
//
// A message costs peer_switch_s more if its sender sent the previous message to another rank,
// because a network that makes connections on demand then has to switch connections. With more than
// `connections` ranks, a rank switches one connection at a time, so such messages leave one after
// the other.
//
// Local work has one price per byte if the data of all ranks of a host fit into the host's caches,
// and another if they do not. New pages must be cleared, and registered with the network card
// (sim/messages/library_work.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti { inline namespace sim {

// The numbers of the model. All have the same type, so that they can be fitted, read and written by
// name.
struct MessageModel {
  double send_overhead_s = 0;
  double receive_overhead_s = 0;
  double node_overhead_s = std::numeric_limits<double>::infinity();
  double latency_s = 0;
  double node_latency_s = 0;
  double wire_latency_factor = 1;
  double host_gap_s = 0;
  double inline_bytes = 0;
  double buffered_s = 0;
  double eager_bytes = 0;
  double eager_s_per_byte = 0;
  double handshake_s = 0;
  double node_handshake_s = 0;
  double peer_switch_s = 0;
  double connections = std::numeric_limits<double>::infinity();
  double bulk_bytes = 0;
  double medium_bytes_per_s = std::numeric_limits<double>::infinity();
  double under_way = 16;
  double rank_bytes_per_s = std::numeric_limits<double>::infinity();
  double host_bytes_per_s = std::numeric_limits<double>::infinity();
  double long_bytes = std::numeric_limits<double>::infinity();
  double long_bytes_per_s = std::numeric_limits<double>::infinity();
  double node_rank_bytes_per_s = std::numeric_limits<double>::infinity();
  double node_bytes_per_s = std::numeric_limits<double>::infinity();
  double cache_bytes = std::numeric_limits<double>::infinity();
  double reduce_s_per_byte = 0;
  double reduce_memory_s_per_byte = 0;
  double copy_s_per_byte = 0;
  double copy_memory_s_per_byte = 0;
  double fresh_bytes = std::numeric_limits<double>::infinity();
  double heap_bytes = std::numeric_limits<double>::infinity();
  double fresh_s_per_byte = 0;
  double register_s = 0;
  double register_s_per_byte = 0;
  double node_map_s_per_byte = 0;
  double memory_bytes_per_s = std::numeric_limits<double>::infinity();
  double load = 0;

  friend bool operator==(const MessageModel&, const MessageModel&) = default;
};

// A description of one number of the model.
struct MessageParameter {
  std::string_view name;
  std::string_view unit;  // "s", "B", "s/B", "B/s", or "" for a ratio
  std::string_view meaning;
  double MessageModel::*value;
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

[[nodiscard]] std::span<const MessageParameter> message_parameters();
// Returns null for an unknown name.
[[nodiscard]] const MessageParameter* find_message_parameter(std::string_view name);

// Values that replace those of a model in jobs of one kind, such as those of one queue. The limits
// include their ends.
struct JobKind {
  double nodes_from = 1;
  double nodes_to = std::numeric_limits<double>::infinity();
  double ranks_per_node_from = 1;  // the mean over the nodes
  double ranks_per_node_to = std::numeric_limits<double>::infinity();
  std::vector<std::pair<const MessageParameter*, double>> values = {};
  std::string source = {};

  [[nodiscard]] bool includes(double nodes, double ranks_per_node) const {
    return nodes >= nodes_from && nodes <= nodes_to && ranks_per_node >= ranks_per_node_from &&
           ranks_per_node <= ranks_per_node_to;
  }
};

[[nodiscard]] MessageModel with_values_of(const JobKind& kind, MessageModel model);

// The protocol of a message; `both_ways` is that of messages of at least long_bytes.
enum class Protocol : std::uint8_t { inlined, buffered, medium, bulk, both_ways };
[[nodiscard]] Protocol protocol_of(const MessageModel& model, std::uint64_t bytes);

// Prices of local work per byte. local_prices() returns those of a rank that touches
// `working_set_bytes`, if `ranks_per_host` ranks share the caches and the memory of a host.
struct LocalPrices {
  double reduce_s_per_byte = 0;
  double copy_s_per_byte = 0;
};
[[nodiscard]] LocalPrices local_prices(const MessageModel& model, double working_set_bytes,
                                       double ranks_per_host);

}}  // namespace tutti::sim
