// The event graph: the events of a schedule that runs on real MPI, and which must precede which.
//
// A message has two ends, which know different things: for its sender, a message is over when the
// source may be reused; for its receiver, when the data are there. So a message is four events, and
// a local operation is one. A dependency "B after A" says, at every rank that both touch: A's end
// there happens before B's start there. It says nothing about any other rank.
//
// Nothing is stored: the edges follow from the schedule's own rows.
#pragma once

#include <cstdint>

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

enum class Moment : std::uint8_t {
  send_post,  // at the sender; for a local operation, its one event
  recv_post,  // at the receiver
  send_done,  // at the sender: the source may be reused. An eager send is done before recv_post
  recv_done,  // at the receiver: the data are there
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

// The start and the end of an operation as a rank that takes part in it sees them.
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

// Events that bound the access of operation `id` to blocks at `rank`: it takes effect after each
// event of access_begins() and before each event of access_ends(). The data leave the source after
// the send was posted, and arrive after both ends were posted. They have left the source when
// either end says that the message is over.
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

// Calls visit(event) for each event that must happen directly before `event`, whatever the network
// does. Events of dependencies are visited in descending order of ids.
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

}  // namespace tutti::inline schedules
