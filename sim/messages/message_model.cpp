#include "sim/messages/message_model.hpp"

#include <algorithm>
#include <array>

namespace tutti { inline namespace sim {

namespace {

using Model = MessageModel;

constexpr std::array kParameters = {
    MessageParameter{"send_overhead_s", "s", "time that a message holds its sender's core",
                     &Model::send_overhead_s, 0, 1},
    MessageParameter{"receive_overhead_s", "s", "time that a message holds its receiver's core",
                     &Model::receive_overhead_s, 0, 1},
    MessageParameter{"node_overhead_s", "s",
                     "the most that a message within a host holds either core",
                     &Model::node_overhead_s, 0, 1},
    MessageParameter{"latency_s", "s", "latency of a message between hosts at one switch",
                     &Model::latency_s, 0, 1},
    MessageParameter{"node_latency_s", "s", "latency of a message within a host",
                     &Model::node_latency_s, 0, 1},
    MessageParameter{"wire_latency_factor", "",
                     "factor on the latency of a route beyond that between hosts at one switch",
                     &Model::wire_latency_factor, 0, 1e6},
    MessageParameter{"host_gap_s", "s",
                     "gap between two messages that a host's network interface sends",
                     &Model::host_gap_s, 0, 1},
    MessageParameter{"inline_bytes", "B", "largest message that is sent within its request",
                     &Model::inline_bytes, 0, 1e15},
    MessageParameter{"buffered_s", "s", "additional latency of an eager message above inline_bytes",
                     &Model::buffered_s, 0, 1},
    MessageParameter{"eager_bytes", "B", "largest eager message; larger ones need a handshake",
                     &Model::eager_bytes, 0, 1e15},
    MessageParameter{"eager_s_per_byte", "s/B",
                     "time per byte of an eager message in buffers at both ends",
                     &Model::eager_s_per_byte, 0, 1},
    MessageParameter{"handshake_s", "s", "time of a handshake between hosts", &Model::handshake_s,
                     0, 1},
    MessageParameter{"node_handshake_s", "s", "time of a handshake within a host",
                     &Model::node_handshake_s, 0, 1},
    MessageParameter{
        "peer_switch_s", "s",
        "additional time of a message that goes to a different rank than the one before",
        &Model::peer_switch_s, 0, 1},
    MessageParameter{"connections", "count",
                     "largest number of ranks among which a rank can switch to several receivers "
                     "at a time",
                     &Model::connections, 1, 1e9},
    MessageParameter{"bulk_bytes", "B", "from this size on, a message gets a rank's full rate",
                     &Model::bulk_bytes, 0, 1e15},
    MessageParameter{"medium_bytes_per_s", "B/s",
                     "largest rate of a message that has a handshake and is below bulk_bytes",
                     &Model::medium_bytes_per_s, 1e-3, 1e18},
    MessageParameter{"under_way", "count",
                     "how many messages with a handshake a rank sends at a time", &Model::under_way,
                     1, 1e6},
    MessageParameter{"rank_bytes_per_s", "B/s",
                     "rate at which a rank sends, and also at which it receives",
                     &Model::rank_bytes_per_s, 1e-3, 1e18},
    MessageParameter{"host_bytes_per_s", "B/s",
                     "rate at which all ranks of a host send to other hosts, and at which they "
                     "receive",
                     &Model::host_bytes_per_s, 1e-3, 1e18},
    MessageParameter{
        "long_bytes", "B",
        "from this size on, the messages that a rank sends and receives share one rate",
        &Model::long_bytes, 1, 1e15},
    MessageParameter{"long_bytes_per_s", "B/s",
                     "rate that the messages of a rank share if they have at least long_bytes",
                     &Model::long_bytes_per_s, 1e-3, 1e18},
    MessageParameter{"node_rank_bytes_per_s", "B/s",
                     "rate at which a rank receives from its own host",
                     &Model::node_rank_bytes_per_s, 1e-3, 1e18},
    MessageParameter{"node_bytes_per_s", "B/s",
                     "total rate at which the ranks of a host receive from each other",
                     &Model::node_bytes_per_s, 1e-3, 1e18},
    MessageParameter{"cache_bytes", "B", "capacity of the caches that the ranks of a host share",
                     &Model::cache_bytes, 0, 1e18},
    MessageParameter{"reduce_s_per_byte", "s/B", "time to reduce a byte in the caches",
                     &Model::reduce_s_per_byte, 0, 1},
    MessageParameter{"reduce_memory_s_per_byte", "s/B", "time to reduce a byte in memory",
                     &Model::reduce_memory_s_per_byte, 0, 1},
    MessageParameter{"copy_s_per_byte", "s/B", "time to copy a byte in the caches",
                     &Model::copy_s_per_byte, 0, 1},
    MessageParameter{"copy_memory_s_per_byte", "s/B", "time to copy a byte in memory",
                     &Model::copy_memory_s_per_byte, 0, 1},
    MessageParameter{"fresh_bytes", "B",
                     "buffers of at least this size get new pages at each allocation",
                     &Model::fresh_bytes, 0, 1e18},
    MessageParameter{"heap_bytes", "B",
                     "buffers of a call that reach this size together, and twice the size of the "
                     "largest, get new pages at each allocation",
                     &Model::heap_bytes, 0, 1e18},
    MessageParameter{"fresh_s_per_byte", "s/B", "time to clear a byte of a new page",
                     &Model::fresh_s_per_byte, 0, 1},
    MessageParameter{"register_s", "s",
                     "time to register a part of a new buffer with the network card",
                     &Model::register_s, 0, 1},
    MessageParameter{"register_s_per_byte", "s/B",
                     "time to register a byte of a new buffer with the network card",
                     &Model::register_s_per_byte, 0, 1},
    MessageParameter{"node_map_s_per_byte", "s/B",
                     "time to map a byte of a new buffer for a receiver on the same host",
                     &Model::node_map_s_per_byte, 0, 1},
    MessageParameter{"memory_bytes_per_s", "B/s",
                     "total rate at which the ranks of a host read and write memory",
                     &Model::memory_bytes_per_s, 1e-3, 1e18},
    MessageParameter{"load", "", "share of each link between switches that other jobs use",
                     &Model::load, 0, 0.99},
};

// Bytes that are read and written in memory per byte of a local operation: a reduction has two
// operands and a result, and a copy has a source and a target.
constexpr double kReduceTraffic = 3;
constexpr double kCopyTraffic = 2;

}  // namespace

std::span<const MessageParameter> message_parameters() { return kParameters; }

const MessageParameter* find_message_parameter(std::string_view name) {
  const auto* const found =
      std::find_if(kParameters.begin(), kParameters.end(),
                   [name](const MessageParameter& each) { return each.name == name; });
  return found == kParameters.end() ? nullptr : found;
}

MessageModel with_values_of(const JobKind& kind, MessageModel model) {
  for (const auto& [parameter, value] : kind.values) {
    model.*parameter->value = value;
  }
  return model;
}

Protocol protocol_of(const MessageModel& model, std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size <= model.inline_bytes) {
    return Protocol::inlined;
  }
  if (size <= model.eager_bytes) {
    return Protocol::buffered;
  }
  if (size < model.bulk_bytes) {
    return Protocol::medium;
  }
  return size < model.long_bytes ? Protocol::bulk : Protocol::both_ways;
}

LocalPrices local_prices(const MessageModel& model, double working_set_bytes,
                         double ranks_per_host) {
  if (working_set_bytes * ranks_per_host <= model.cache_bytes) {
    return {model.reduce_s_per_byte, model.copy_s_per_byte};
  }
  const double shared_s_per_byte = ranks_per_host / model.memory_bytes_per_s;
  return {std::max(model.reduce_memory_s_per_byte, kReduceTraffic * shared_s_per_byte),
          std::max(model.copy_memory_s_per_byte, kCopyTraffic * shared_s_per_byte)};
}

}}  // namespace tutti::sim
