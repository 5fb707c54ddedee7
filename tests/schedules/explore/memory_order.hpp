// The events of a draft that touch memory, their order, and the races: conflicting events that are
// not ordered.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/schedules/explore/bits.hpp"
#include "tests/schedules/explore/event_graph.hpp"
#include "tests/schedules/explore/places.hpp"

namespace tutti::explore {

// A local operation, or the read or the write of a message.
struct MemoryEvent {
  std::uint32_t op = 0;
  std::uint32_t moment = 0;  // kLocal, read or recv_done
};

struct MemoryOrder {
  std::vector<MemoryEvent> events;
  // By operation: index of a message's first value among the values of all messages. The last entry
  // is the number of these values.
  std::vector<std::uint32_t> carried_at;
  std::vector<Bits> before;  // by event: all events that come before it
  std::vector<Bits> after;
  std::vector<std::vector<std::uint32_t>> races;    // by event: conflicting events that are not
                                                    // ordered
  std::vector<std::vector<std::uint32_t>> readers;  // by place: events that read it
  // Pairs of conflicting operations that nothing orders, by position in the draft. Each pair
  // appears once, the smaller position first.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> racing_ops;
  // True if one of `racing_ops` is a message, and in some order the other operation accesses memory
  // while the message is pending.
  bool touches_pending = false;
};

[[nodiscard]] MemoryOrder memory_order_of(const Draft& draft, const Places& places,
                                          const EventGraph& graph);

}  // namespace tutti::explore
