// Finds the events of a draft that touch memory, the order of these events, and the races, that is,
// pairs of conflicting events that are not ordered.
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
  // For each operation that is a message, the index of its first value among the values of all
  // messages. The last entry is the number of these values.
  std::vector<std::uint32_t> carried_at;
  std::vector<Bits> before;  // for each event, all events that come before it
  std::vector<Bits> after;   // for each event, all events that come after it
  // For each event, the conflicting events that neither come before nor after it.
  std::vector<std::vector<std::uint32_t>> races;
  std::vector<std::vector<std::uint32_t>> readers;  // for each place, the events that read it
  // Pairs of conflicting operations that nothing orders, by position in the draft. Each pair
  // appears once, the smaller position first.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> racing_ops;
};

[[nodiscard]] MemoryOrder memory_order_of(const Draft& draft, const Places& places,
                                          const EventGraph& graph);

}  // namespace tutti::explore
