#include "sim/messages/message_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>

namespace tutti { inline namespace sim {

namespace {

struct PartWords {
  MessagePart part;
  std::string_view name;
  std::string_view words;
  std::array<std::string_view, 2> parameters = {};
};

using Part = MessagePart;

constexpr std::array kParts = {
    PartWords{Part::none, "none", ""},
    PartWords{Part::sender_core, "sender_core", "core of the sender", {"send_overhead_s"}},
    PartWords{Part::receiver_core, "receiver_core", "core of the receiver", {"receive_overhead_s"}},
    PartWords{
        Part::node_core, "node_core", "cores, for messages within a host", {"node_overhead_s"}},
    PartWords{Part::busy_core,
              "busy_core",
              "cores busy with other messages",
              {"send_overhead_s", "receive_overhead_s"}},
    PartWords{Part::busy_interface,
              "busy_interface",
              "network interfaces busy with other messages",
              {"host_gap_s"}},
    PartWords{Part::busy_connection,
              "busy_connection",
              "connections busy with other messages",
              {"connections", "peer_switch_s"}},
    PartWords{Part::peer_switch, "peer_switch", "switching peers", {"peer_switch_s"}},
    PartWords{Part::eager_copies, "eager_copies", "copies of eager messages", {"eager_s_per_byte"}},
    PartWords{Part::buffers, "buffers", "buffers of eager messages", {"buffered_s"}},
    PartWords{Part::handshake, "handshake", "handshake", {"handshake_s"}},
    PartWords{
        Part::node_handshake, "node_handshake", "handshake within a host", {"node_handshake_s"}},
    PartWords{Part::latency, "latency", "latency", {"latency_s"}},
    PartWords{
        Part::wire_latency, "wire_latency", "latency of longer routes", {"wire_latency_factor"}},
    PartWords{Part::node_latency, "node_latency", "latency within a host", {"node_latency_s"}},
    PartWords{Part::rank_rate, "rank_rate", "transfer at the rate of a rank", {"rank_bytes_per_s"}},
    PartWords{Part::medium_rate,
              "medium_rate",
              "transfer at the rate of a medium message",
              {"medium_bytes_per_s"}},
    PartWords{Part::long_rate,
              "long_rate",
              "transfer at the rate of long messages",
              {"long_bytes_per_s"}},
    PartWords{Part::host_rate,
              "host_rate",
              "transfer at the rate of a host's ports",
              {"host_bytes_per_s"}},
    PartWords{Part::node_rank_rate,
              "node_rank_rate",
              "transfer within a host, at the rate of a rank",
              {"node_rank_bytes_per_s"}},
    PartWords{Part::node_rate,
              "node_rate",
              "transfer within a host, at the rate of the host",
              {"node_bytes_per_s"}},
    PartWords{Part::reduction, "reduction", "reduction in caches", {"reduce_s_per_byte"}},
    PartWords{Part::memory_reduction,
              "memory_reduction",
              "reduction in memory",
              {"reduce_memory_s_per_byte"}},
    PartWords{Part::shared_memory_reduction,
              "shared_memory_reduction",
              "reduction in memory that ranks share",
              {"memory_bytes_per_s"}},
    PartWords{Part::copy, "copy", "copying in caches", {"copy_s_per_byte"}},
    PartWords{Part::memory_copy, "memory_copy", "copying in memory", {"copy_memory_s_per_byte"}},
    PartWords{Part::shared_memory_copy,
              "shared_memory_copy",
              "copying in memory that ranks share",
              {"memory_bytes_per_s"}},
    PartWords{Part::library_copies,
              "library_copies",
              "the library's copies",
              {"copy_s_per_byte", "copy_memory_s_per_byte"}},
    PartWords{Part::new_pages, "new_pages", "new pages", {"fresh_s_per_byte"}},
    PartWords{Part::registration,
              "registration",
              "registration of new buffers",
              {"register_s", "register_s_per_byte"}},
    PartWords{
        Part::mapping, "mapping", "mapping of new buffers within hosts", {"node_map_s_per_byte"}},
};

const PartWords& words_of(MessagePart part) { return kParts[static_cast<std::size_t>(part)]; }

constexpr bool in_order() {
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (kParts[i].part != static_cast<MessagePart>(i)) {
      return false;
    }
  }
  return kParts.back().part == MessagePart::mapping;
}
static_assert(in_order(), "the table must have the order of the enum");

}  // namespace

std::string_view name(MessagePart part) { return words_of(part).name; }

std::span<const std::string_view> parameters_of(MessagePart part) {
  const std::array<std::string_view, 2>& names = words_of(part).parameters;
  return {names.data(), names[0].empty() ? 0U : names[1].empty() ? 1U : 2U};
}

std::string in_words(MessagePart part) {
  return fmt::format("{} ({})", words_of(part).words, fmt::join(parameters_of(part), ", "));
}

}}  // namespace tutti::sim
