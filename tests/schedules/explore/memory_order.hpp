// The events of a draft that touch memory, their order, and where there is none.
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
  std::vector<std::uint32_t> carried_at;  // by operation, where a message's values lie among all
  std::vector<Bits> before;               // by event, all that come before it
  std::vector<Bits> after;
  std::vector<std::vector<std::uint32_t>> races;    // by event, others that conflict, in any order
  std::vector<std::vector<std::uint32_t>> readers;  // by place, events
  // Conflicting operations that nothing orders, each pair once, smaller number first.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> racing_ops;
  // One of them is a message, and some order has the other while it is under way.
  bool touches_pending = false;
};

[[nodiscard]] MemoryOrder memory_order_of(const Draft& draft, const Places& places,
                                          const EventGraph& graph);

}  // namespace tutti::explore
