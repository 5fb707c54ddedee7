// How an MPI library sends messages on a machine: the cost of a message in addition to the wires
// and switches of the platform. Their latencies and bandwidths are in the platform file.
//
// A message takes its sender's core for send_overhead_s, then the network interface of its host for
// host_gap_s. Its latency has three parts: that of two hosts at one switch, the additional latency
// of the platform's route, and the additional latency of its protocol. After its latency, its bytes
// flow over the links of the platform, which all messages share, within the limits of what a rank
// can send and receive. At the end it takes its receiver's core for receive_overhead_s. This is
// LogGPS (Ino, Fujimoto and Hagihara, PPoPP 2001), with shared links in place of G.
//
// Protocols, by size: A message of up to inline_bytes travels in the request that announces it. A
// message of up to eager_bytes leaves at once, through buffers. A larger message has a handshake:
// its sender first asks whether the receiver is ready (handshake_s). Up to bulk_bytes, such a
// message gets at most medium_bytes_per_s. From long_bytes on, what a rank sends and what it
// receives share long_bytes_per_s.
//
// A rank sends at most under_way messages with a handshake at a time, and receives as many. Others
// wait their turn.
//
// A message to another rank than the one before costs peer_switch_s more, because networks that
// make connections on demand have to switch to another one.
//
// The price of local work per byte is that of the caches, or that of memory if the ranks of a host
// touch more than its caches hold. Pages that are touched for the first time have to be cleared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace tutti::inline sim {

// All numbers have one type, so that fits and files can access them by name.
struct MessageModel {
  double send_overhead_s = 0;
  double receive_overhead_s = 0;
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
  double bulk_bytes = 0;
  double medium_bytes_per_s = std::numeric_limits<double>::infinity();
  double under_way = 16;
  double rank_bytes_per_s = std::numeric_limits<double>::infinity();
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
  double fresh_s_per_byte = 0;
  double memory_bytes_per_s = std::numeric_limits<double>::infinity();
  double load = 0;

  friend bool operator==(const MessageModel&, const MessageModel&) = default;
};

// Description of one number of the model.
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

// How a message is sent.
enum class Protocol : std::uint8_t { inlined, buffered, medium, bulk, both_ways };
[[nodiscard]] Protocol protocol_of(const MessageModel& model, std::uint64_t bytes);

// Prices of local work per byte, for a rank that touches `working_set_bytes`, if `ranks_per_host`
// ranks share the caches and the memory of a host.
struct LocalPrices {
  double reduce_s_per_byte = 0;
  double copy_s_per_byte = 0;
};
[[nodiscard]] LocalPrices local_prices(const MessageModel& model, double working_set_bytes,
                                       double ranks_per_host);

// Returns the additional price per byte of filling a new buffer of this size.
[[nodiscard]] double fresh_s_per_byte(const MessageModel& model, double buffer_bytes);

}  // namespace tutti::inline sim
