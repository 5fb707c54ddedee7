// The parts of a run's time that come from a message model, by name. An account of the run
// (src/simulation/explain/time_account.hpp) has a row for each of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace sim {

enum class MessagePart : std::uint8_t {
  none,  // the platform alone determines the time
  sender_core,
  receiver_core,
  node_core,
  busy_core,
  busy_interface,
  busy_connection,
  peer_switch,
  eager_copies,
  buffers,
  handshake,
  node_handshake,
  latency,
  wire_latency,
  node_latency,
  rank_rate,
  medium_rate,
  long_rate,
  host_rate,
  node_rank_rate,
  node_rate,
  reduction,
  memory_reduction,
  shared_memory_reduction,
  copy,
  memory_copy,
  shared_memory_copy,
  library_copies,
  new_pages,
  registration,
  mapping,
};

// Returns a name for machine-readable output, such as "peer_switch".
[[nodiscard]] std::string_view name(MessagePart part);
// Returns the names of the parameters that determine the time.
[[nodiscard]] std::span<const std::string_view> parameters_of(MessagePart part);
// Returns words for reports, with the parameters: "switching peers (peer_switch_s)".
[[nodiscard]] std::string in_words(MessagePart part);

struct PartTime {
  MessagePart part = MessagePart::none;
  double seconds = 0;
};

// The parts of the time of one message, in chronological order.
struct MessageTimes {
  std::vector<PartTime> before;           // from its start until its bytes move
  MessagePart limit = MessagePart::none;  // what limits the rate that it would have alone
  PartTime received;                      // work of the receiver's core at the end
};

}}  // namespace tutti::sim
