// The connections of a run in which the data of messages follow each other (FlowSetup::in_order).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace sim {

// A connection joins a sender and a receiver. It has the messages of all channels between them,
// which in NCCL have connections of their own. It transfers one message at a time, in the order in
// which the latencies of the messages end.
class Connections {
 public:
  explicit Connections(const Schedule& schedule)
      : schedule_(schedule), next_(schedule.size(), kNoOp) {}

  // Returns true if the message begins its transfer now. Otherwise, the message waits.
  [[nodiscard]] bool begin(OpId id) {
    Queue& queue = queue_of(id);
    if (queue.last == kNoOp) {
      queue.last = id;
      return true;
    }
    next_[queue.last] = id;
    queue.last = id;
    return false;
  }

  // Ends the transfer of a message. Returns the message that begins its transfer now; kNoOp if none
  // waits.
  [[nodiscard]] OpId end(OpId id) {
    if (next_[id] == kNoOp) {
      queue_of(id).last = kNoOp;
    }
    return next_[id];
  }

 private:
  // The messages of a connection from the one under way, linked by next_.
  struct Queue {
    OpId last = kNoOp;
  };

  [[nodiscard]] Queue& queue_of(OpId id) {
    const Op& op = schedule_.op(id);
    return queues_[std::uint64_t{op.src()} << 32U | op.dst()];
  }

  const Schedule& schedule_;
  std::vector<OpId> next_;  // by message: the next one of its connection; kNoOp if none waits
  std::unordered_map<std::uint64_t, Queue> queues_;
};

}}  // namespace tutti::sim
