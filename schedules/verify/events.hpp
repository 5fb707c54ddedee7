// The event graph of a schedule: the events of an execution on real MPI, and which event must
// precede which.
//
// A message ends at different times at its two ranks: for the sender, when the source may be
// reused; for the receiver, when the data have arrived. Each rank also has a start, so a message
// has four events; a local operation has one. A dependency "B after A" means, at every rank that
// both touch, that A's end at the rank precedes B's start at the rank. It means nothing for any
// other rank.
//
// The graph is not stored, because its edges can be computed from the dependencies of the schedule.
#pragma once

#include <cstdint>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

enum class Moment : std::uint8_t {
  // The sender starts to send. Also the one event of a local operation.
  send_post,
  // The receiver starts to receive.
  recv_post,
  // The sender may reuse the source. With an eager send, this may happen before recv_post.
  send_done,
  // The data have arrived at the receiver.
  recv_done,
};

struct OpEvent {
  OpId op = kNoOp;
  Moment moment = Moment::send_post;

  friend constexpr bool operator==(const OpEvent&, const OpEvent&) = default;
};

// A set of moments of one operation, as bits.
using Moments = std::uint8_t;
[[nodiscard]] constexpr Moments bit(Moment moment) {
  return static_cast<Moments>(1U << static_cast<unsigned>(moment));
}

// The start and the end of operation `id` as events at `rank`, which must take part in the
// operation.
[[nodiscard]] inline OpEvent start_at(const Schedule& schedule, OpId id, Rank rank) {
  const Op& op = schedule.op(id);
  return {id, op.is_comm() && op.dst() == rank ? Moment::recv_post : Moment::send_post};
}
[[nodiscard]] inline OpEvent end_at(const Schedule& schedule, OpId id, Rank rank) {
  const Op& op = schedule.op(id);
  if (!op.is_comm()) {
    return {id, Moment::send_post};
  }
  return {id, op.dst() == rank ? Moment::recv_done : Moment::send_done};
}

// Events that bound the time at which operation `id` reads or writes blocks at `rank`: after each
// event of access_begins() and before each event of access_ends(). The data of a message leave the
// source after the send was posted, and arrive after both send and receive were posted. They have
// left the source before the message is done at either rank.
[[nodiscard]] inline Moments access_begins(const Schedule& schedule, OpId id, Rank rank) {
  const Op& op = schedule.op(id);
  return op.is_comm() && op.dst() == rank ? bit(Moment::send_post) | bit(Moment::recv_post)
                                          : bit(Moment::send_post);
}
[[nodiscard]] inline Moments access_ends(const Schedule& schedule, OpId id, Rank rank) {
  const Op& op = schedule.op(id);
  if (!op.is_comm()) {
    return bit(Moment::send_post);
  }
  return op.dst() == rank ? bit(Moment::recv_done)
                          : bit(Moment::send_done) | bit(Moment::recv_done);
}

// Calls visit(event) for each direct predecessor of `event` in the event graph. Events of
// dependencies are visited in descending order of their operations' ids.
template <typename Visit>
void for_each_event_before(const Schedule& schedule, OpEvent event, Visit&& visit) {
  const Op& op = schedule.op(event.op);
  switch (event.moment) {
    case Moment::send_done:
      visit(OpEvent{event.op, Moment::send_post});
      return;
    case Moment::recv_done:
      visit(OpEvent{event.op, Moment::recv_post});
      visit(OpEvent{event.op, Moment::send_post});
      return;
    case Moment::send_post:
    case Moment::recv_post:
      break;
  }
  const Rank rank = event.moment == Moment::recv_post ? op.dst() : op.src();
  const auto before = schedule.predecessors(event.op);
  for (auto at = before.rbegin(); at != before.rend(); ++at) {
    if (schedule.op(*at).touches(rank)) {
      visit(end_at(schedule, *at, rank));
    }
  }
}

}}  // namespace tutti::schedules
