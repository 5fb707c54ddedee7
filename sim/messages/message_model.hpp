// How an MPI library sends messages on a machine: what a message costs beyond the wires and
// switches of the platform, whose latencies and bandwidths are the platform file's.
//
// A message takes its sender's core for send_overhead_s, then the network interface of its host for
// host_gap_s. After its latency (that of two hosts at one switch, what the platform's route has
// beyond that, and what its protocol adds) its bytes flow: over the links of the platform, which
// all messages share, and over what a rank can send and receive. At the end it takes its receiver's
// core for receive_overhead_s. That is LogGPS (Ino, Fujimoto and Hagihara, PPoPP 2001) with links
// that are shared in place of G.
//
// Protocols, by size: up to inline_bytes a message travels in the request that announces it; up to
// eager_bytes it leaves at once, through buffers; above that its sender first asks whether the
// receiver is ready (handshake_s), and up to bulk_bytes it gets no more than medium_bytes_per_s;
// from long_bytes on, what a rank sends and what it receives share long_bytes_per_s.
//
// Of messages that ask first a rank has under_way on their way at a time, and receives as many;
// others wait their turn.
//
// A message to another rank than the one before pays peer_switch_s: networks whose connections are
// made as they are needed have to turn to another one.
//
// Local work costs what a byte costs in the caches, or in memory where a host's ranks touch more
// than these hold; and pages that are touched for the first time have to be cleared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace tutti::inline sim {

// Numbers are all of one kind so that a fit and a file can go through them by name.
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

// One of its numbers.
struct MessageParameter {
  std::string_view name;
  std::string_view unit;  // "s", "B", "s/B", "B/s", or "" for a ratio
  std::string_view meaning;
  double MessageModel::*value;
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

[[nodiscard]] std::span<const MessageParameter> message_parameters();
// Null for another name.
[[nodiscard]] const MessageParameter* find_message_parameter(std::string_view name);

// How a message is sent.
enum class Protocol : std::uint8_t { inlined, buffered, medium, bulk, both_ways };
[[nodiscard]] Protocol protocol_of(const MessageModel& model, std::uint64_t bytes);

// What a byte of local work costs a rank that touches `working_set_bytes`, where `ranks_per_host`
// share the caches and the memory of a host.
struct LocalPrices {
  double reduce_s_per_byte = 0;
  double copy_s_per_byte = 0;
};
[[nodiscard]] LocalPrices local_prices(const MessageModel& model, double working_set_bytes,
                                       double ranks_per_host);

// What it costs more to fill a buffer of so many bytes that is new.
[[nodiscard]] double fresh_s_per_byte(const MessageModel& model, double buffer_bytes);

}  // namespace tutti::inline sim
