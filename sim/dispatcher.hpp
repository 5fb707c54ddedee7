// Implements the ordering rules that all engines share: which operations are ready, which may
// start, and which must wait for a port or a core. An engine adds only the durations of operations.
//
// At each instant, an engine calls complete() for each operation that ended, and arrive_until() for
// ranks that begin late. Then it calls advance(), which finishes ready operations of zero duration,
// and starts operations in id order.
//
// An eager message (RunSetup::eager_bytes) has two sides. It starts when its predecessors at the
// sender are done, and its start releases its successors at the sender. These successors are then
// merged, by id, into the operations that are still to start in that instant. The message ends when
// it has arrived and its predecessors at the receiver are done, and its end releases its successors
// at the receiver.
//
// A reduction or a copy holds a core of its rank. A message that is moved by the receiver's core
// holds that core. A rank may have several cores, and several network interfaces, each with ports
// of its own (Units in schedules/op.hpp).
//
// A waiting operation is in the queue of one resource (a port or a core) that it lacks. When the
// resource is freed, the operations of its queue are offered in id order, as long as the resource
// has room. Each of them starts, or moves to the queue of another resource that it lacks
// (waiting_ops.hpp).
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/min_heap.hpp"
#include "sim/room.hpp"
#include "sim/sort_runs.hpp"
#include "sim/waiting_ops.hpp"
#include "sim/waiting_pairs.hpp"

namespace tutti { inline namespace sim {

inline const std::vector<bool> kNoneByCore;

class Dispatcher {
 public:
  // `by_core` is true for each message that is moved by the receiver's core. If `by_core` is empty,
  // no message is moved by a core. The vector must outlive the dispatcher.
  Dispatcher(const Schedule& schedule, const RunSetup& setup,
             const std::vector<bool>& by_core = kNoneByCore);

  // Frees the resources of `id` and marks `id` as done, unless it is an eager message whose
  // receiver is not ready.
  void complete(OpId id) {
    const Op& op = schedule_.op(id);
    if (op.is_comm()) {
      if (takes_ports(op)) {
        release(out_port(id));
        release(in_port(id));
      }
      if (is_by_core(id)) [[unlikely]] {
        release(core(id));
      }
    } else {
      release(core(id));
    }
    if (any_eager_ && receive_waits_[id] > 0) [[unlikely]] {
      arrived_[id] = 1;
      return;
    }
    finish(id);
  }

  // True if the receiver of message `id`, which is under way, is ready for the message. Always true
  // if the message is not eager.
  [[nodiscard]] bool receiver_ready(OpId id) const {
    return !any_eager_ || receive_waits_[id] == 0;
  }
  // Ends an eager message for which ended(id) returned false in advance().
  void complete_received(OpId id) { finish(id); }

  // Handles the rest of an instant, after the calls of complete() and arrive_until(). Calls
  // done(id) for every ready operation for which is_instant(id) is true. Calls ended(id) for every
  // eager message that arrived earlier and whose receiver is ready now; ended() returns false if
  // the receiver needs time to receive the message. Calls start(id) for every operation that may
  // start.
  template <typename IsInstant, typename Done, typename Start, typename Ended>
  void advance(IsInstant&& is_instant, Done&& done, Start&& start, Ended&& ended) {
    if (!begun_) [[unlikely]] {
      begun_ = true;
      begin(is_instant, done, start);
    }
    settle(is_instant, done);
    while (!late_.empty()) [[unlikely]] {
      end_late(ended);
      settle(is_instant, done);
    }
    start_ready(start, [&](std::size_t next) { go_on(next, is_instant, done, ended); });
  }

  // One number per operation, which the engine may use from the operation's start until complete().
  // The number is 0 when the operation starts, and the engine must set it back to 0 before
  // complete(). These numbers need no additional memory.
  [[nodiscard]] std::span<std::uint32_t> notes() { return waits_for_; }

  // Time when the next late rank arrives; infinity if all ranks have arrived.
  [[nodiscard]] double next_arrival_s() const {
    return arrivals_.empty() ? std::numeric_limits<double>::infinity() : arrivals_.back().first;
  }
  // Lets all ranks arrive that are due by `until_s`. Operations that waited only for these ranks
  // become ready.
  void arrive_until(double until_s) {
    while (next_arrival_s() <= until_s) [[unlikely]] {
      arrive(arrivals_.back().second);
      arrivals_.pop_back();
    }
  }

  // True if any operation was ready before its ports or its core were free.
  [[nodiscard]] bool waited() const { return waited_; }
  [[nodiscard]] OpId done() const { return done_; }
  [[nodiscard]] bool all_done() const { return done_ == schedule_.size(); }

  // Returns one sentence that names an unfinished operation and what it waits for.
  [[nodiscard]] std::string describe_unfinished();

 private:
  // Handles the first instant without a list of the ready operations, because such a list could
  // contain the whole schedule. One pass in id order is enough: predecessors have smaller ids, so
  // the pass has already done everything that can make an operation ready in this instant.
  template <typename IsInstant, typename Done, typename Start>
  void begin(IsInstant&& is_instant, Done&& done, Start&& start) {
    const OpId size = schedule_.size();
    // With eager messages, a list is needed, because the start of an eager message makes other
    // operations ready.
    if (any_eager_) [[unlikely]] {
      for (OpId id = 0; id < size; ++id) {
        if (waits_for_[id] == 0) {
          ready_.push_back(id);
        }
      }
      return;
    }
    for (OpId id = 0; id < size; ++id) {
      if (waits_for_[id] != 0) {
        continue;
      }
      const Op& op = schedule_.op(id);
      if (!op.is_comm() && is_instant(id)) {
        done(id);
        ++done_;
        for (const OpId successor : schedule_.successors(id)) {
          --waits_for_[successor];
        }
      } else if (take(id)) {
        start(id);
      }
    }
  }

  // Finishes every ready operation for which is_instant(id) is true, and calls finished(id) for it.
  // Messages are never instant, because they need their ports.
  template <typename IsInstant, typename Finished>
  void settle(IsInstant&& is_instant, Finished&& finished) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ready_.size(); ++i) {  // ready_ grows as operations finish
      const OpId id = ready_[i];
      const Op& op = schedule_.op(id);
      if (!op.is_comm() && is_instant(id)) {
        finished(id);
        finish(id);
      } else {
        ready_[kept++] = id;
      }
    }
    ready_.resize(kept);
  }

  template <typename Ended>
  void end_late(Ended&& ended) {
    for (std::size_t i = 0; i < late_.size(); ++i) {  // late_ grows during the loop
      if constexpr (std::is_same_v<std::invoke_result_t<Ended, OpId>, bool>) {
        if (!ended(late_[i])) {
          continue;
        }
      } else {
        ended(late_[i]);
      }
      finish(late_[i]);
    }
    late_.clear();
  }

  // Continues after the start of an eager message has made other operations of its sender ready.
  // Finishes those with zero duration before any other operation starts. Merges the rest into the
  // operations that are still to start, which are those in ready_ from `next` on.
  template <typename IsInstant, typename Done, typename Ended>
  void go_on(std::size_t next, IsInstant&& is_instant, Done&& done, Ended&& ended) {
    const std::vector<OpId> others(ready_.begin() + static_cast<std::ptrdiff_t>(next),
                                   ready_.end());
    ready_.swap(ready_at_start_);
    ready_at_start_.clear();
    settle(is_instant, done);
    while (!late_.empty()) {
      end_late(ended);
      settle(is_instant, done);
    }
    ready_.insert(ready_.end(), others.begin(), others.end());
    std::sort(ready_.begin(), ready_.end());
  }

  // Calls start(id) for every operation that may start now, in id order. If a start makes other
  // operations ready, calls made_ready(next), which removes the first `next` operations from ready_
  // and adds the new ones.
  template <typename Start, typename MadeReady>
  void start_ready(Start&& start, MadeReady&& made_ready) {
    sort_runs(ready_, scratch_);
    offer_freed();
    std::size_t next = 0;
    const auto begin_op = [&](OpId id) {
      start(id);
      if (any_eager_) [[unlikely]] {
        release_sender(id);
        if (!ready_at_start_.empty() || !late_.empty()) {
          made_ready(next);
          next = 0;
        }
      }
    };
    while (next < ready_.size() || !offers_.empty()) {
      if (offers_.empty() || (next < ready_.size() && ready_[next] < offers_.front() >> 32U)) {
        const OpId id = ready_[next++];
        if (take(id)) {
          begin_op(id);
        }
        continue;
      }
      if (const OpId id = accept_offer(); id != kNoOp) {
        begin_op(id);
      }
    }
    ready_.clear();
  }

  static constexpr std::uint32_t kNothing = 0xffffffffU;

  [[nodiscard]] std::uint32_t out_port(OpId id) const {
    const Rank src = schedule_.op(id).src();
    return further_units_ ? port(Room::kOutgoing, src, schedule_.units(id).src_nic) : src;
  }
  [[nodiscard]] std::uint32_t in_port(OpId id) const {
    const Rank dst = schedule_.op(id).dst();
    return further_units_ ? port(Room::kIncoming, dst, schedule_.units(id).dst_nic) : places_ + dst;
  }
  // The core of a calculation, or of the receiver of a message.
  [[nodiscard]] std::uint32_t core(OpId id) const {
    const Rank rank = schedule_.op(id).dst();
    return further_units_ ? core_of(rank, schedule_.units(id).dst_core) : 2 * places_ + rank;
  }
  // After the resources that every place has come, for each place, its cores 1, 2, ... and then the
  // outgoing and the incoming port of its interfaces 1, 2, ...
  [[nodiscard]] std::uint32_t core_of(Rank place, std::uint32_t core) const {
    return core == 0 ? 2 * places_ + place : further_[place].first + core - 1;
  }
  [[nodiscard]] std::uint32_t port(std::uint32_t kind, Rank place, std::uint32_t nic) const {
    return nic == 0 ? kind * places_ + place
                    : further_[place].first + further_[place].cores + 2 * (nic - 1) + kind;
  }
  // Fills further_. Returns the number of resources.
  std::uint32_t number_resources();

  [[nodiscard]] bool is_by_core(OpId id) const { return !by_core_.empty() && by_core_[id]; }

  void finish(OpId id) {
    ++done_;
    if (any_eager_) [[unlikely]] {
      carry(id, When::end, ready_);
      return;
    }
    for (const OpId successor : schedule_.successors(id)) {
      if (--waits_for_[successor] == 0) {
        ready_.push_back(successor);
      }
    }
  }

  // Holds back the first operations of each rank that begins late. All later operations of such a
  // rank depend on its first ones.
  void hold_back(const Disturbance& disturbance);
  void arrive(Rank rank);

  // The time when an operation releases a successor: the operation's start or its end.
  enum class When : std::uint8_t { start, end };

  [[nodiscard]] bool is_eager(const Op& op) const {
    return op.is_comm() && static_cast<std::int64_t>(op.bytes()) <= eager_bytes_;
  }
  [[nodiscard]] bool takes_ports(const Op& op) const {
    return limited_ && (eager_takes_ports_ || !is_eager(op));
  }
  void release_sender(OpId id) {
    if (is_eager(schedule_.op(id))) {
      carry(id, When::start, ready_at_start_);
    }
  }
  // Releases the successors of `id` that wait for its start or its end, whichever `when` is.
  // Appends to `ready` the successors that become ready.
  void carry(OpId id, When when, std::vector<OpId>& ready);

  void release(std::uint32_t resource) {
    if (room_.release(resource) && !waiting_.empty()) {
      freed_.push_back(resource);
    }
  }

  // Adds the waiting operations that may start because of the resources in freed_ to offers_. There
  // are two ways, with equal results. If many ports have room, as in a synchronous schedule, the
  // queues of the freed resources are searched. If few ports have room, the groups that need one of
  // them and a freed port are looked up. The freed ports then keep their queues, although they have
  // room: they are in unsearched_.
  void offer_freed();
  // True if it is probably faster to look up groups than to search queues.
  bool lookups_pay();
  // Offers the groups that need `port` and another port with room.
  void look_up(std::uint32_t port);
  // Bits of the places at which the messages that wait for `port` have their other port; empty if
  // this is not known.
  [[nodiscard]] std::span<const std::uint64_t> partners_of(std::uint32_t port) const;
  // Takes the first offer. Returns the operation, which starts; kNoOp if it cannot start.
  OpId accept_offer() { return by_group_ ? accept_looked_up() : accept_from_queue(); }
  OpId accept_looked_up();
  OpId accept_from_queue();

  // Returns a resource that operation `id` needs and that has no room; kNothing if all have room.
  [[nodiscard]] std::uint32_t lacks(OpId id) const {
    const Op& op = schedule_.op(id);
    if (!op.is_comm()) {
      return room_.has(core(id)) ? kNothing : core(id);
    }
    if (takes_ports(op)) {
      if (!room_.has(out_port(id))) {
        return out_port(id);
      }
      if (!room_.has(in_port(id))) {
        return in_port(id);
      }
    }
    return is_by_core(id) && !room_.has(core(id)) ? core(id) : kNothing;
  }

  // Takes all resources that operation `id` needs.
  void hold_all(OpId id) {
    const Op& op = schedule_.op(id);
    if (!op.is_comm()) {
      room_.hold(core(id));
      return;
    }
    if (takes_ports(op)) {
      room_.hold(out_port(id));
      room_.hold(in_port(id));
    }
    if (is_by_core(id)) [[unlikely]] {
      room_.hold(core(id));
    }
  }

  // Starts `id`, the first operation of a group that waits.
  void leave(OpId id, std::uint32_t group) {
    waiting_.remove_first(group);
    hold_all(id);
    const Op& op = schedule_.op(id);
    if (waiting_.first(group) == kNoOp && op.is_comm() && !further_units_) {
      room_.remove_waiting_group(out_port(id));
      room_.remove_waiting_group(in_port(id));
      if (keeps_pairs_ && !waiting_.any_need(needs(id))) {
        pairs_.remove(op.src(), op.dst());
      }
    }
  }

  // Returns a number that tells which resources operation `id` needs.
  [[nodiscard]] std::uint64_t needs(OpId id) const {
    constexpr std::uint64_t kByCore = std::uint64_t{1} << 31U;
    const Op& op = schedule_.op(id);
    if (further_units_) [[unlikely]] {
      return id;  // a group for each operation
    }
    if (!op.is_comm() || !takes_ports(op)) {
      return kByCore | op.dst();
    }
    return key_of(op.src(), op.dst()) | (is_by_core(id) ? kByCore : 0);
  }
  // The number for a message that needs only the ports of these two places.
  static std::uint64_t key_of(std::uint32_t src, std::uint32_t dst) {
    return std::uint64_t{src + 1} << 32U | dst;
  }

  // Takes all resources that operation `id` needs. If one has no room, puts the operation into its
  // queue, and returns false.
  bool take(OpId id) {
    const std::uint32_t lacking = lacks(id);
    if (lacking == kNothing) {
      hold_all(id);
      return true;
    }
    waited_ = true;
    const Op& op = schedule_.op(id);
    if (waiting_.add(id, lacking, needs(id)) && op.is_comm() && !further_units_) {
      room_.add_waiting_group(out_port(id));
      room_.add_waiting_group(in_port(id));
      if (keeps_pairs_) {
        pairs_.add(op.src(), op.dst());
      }
    }
    return false;
  }

  const Schedule& schedule_;
  std::uint32_t places_;  // number of ranks and switches
  const std::vector<bool>& by_core_;
  bool further_units_;  // operations use other cores than core 0, or other interfaces
  // The resources of a place besides core 0 and the ports of interface 0.
  struct Further {
    std::uint32_t first = 0;
    std::uint32_t cores = 0;
    std::uint32_t nics = 0;
  };
  std::vector<Further> further_;  // by place; empty if there are none
  std::uint32_t resources_;
  bool limited_;
  bool begun_ = false;
  bool waited_ = false;
  std::int64_t eager_bytes_;
  bool eager_takes_ports_;
  bool any_eager_ = false;
  OpId done_ = 0;
  // By operation: until the operation starts, the number of its dependencies that are not done;
  // after that, its number in notes().
  std::vector<std::uint32_t> waits_for_;
  std::vector<OpId> ready_;
  std::vector<OpId> scratch_;
  // Both arrays are indexed by operation, and are empty if no message is eager. receive_waits_: the
  // number of dependencies that the receiver of an eager message still waits for. arrived_: 1 if
  // the message has arrived.
  std::vector<std::uint32_t> receive_waits_;
  std::vector<std::uint8_t> arrived_;
  std::vector<OpId> late_;            // eager messages that arrived earlier and end in this instant
  std::vector<OpId> ready_at_start_;  // operations made ready by the start of an eager message
  Room room_;                         // ports of switches are unlimited
  WaitingOps waiting_;
  WaitingPairs pairs_;
  bool keeps_pairs_;  // false if look_up() is never called, or if there are too many places
  // Resources that have been freed since the last start_ready(), if any operation waits.
  std::vector<std::uint32_t> freed_;
  // Ports that have had room since an instant in which their queues were not searched. No operation
  // in such a queue could start then.
  std::vector<std::uint32_t> unsearched_;
  std::vector<std::uint8_t> unsearched_mark_;  // by resource: 1 if it is in unsearched_
  // Late ranks that have not arrived yet, with their times of arrival, sorted by decreasing time.
  std::vector<std::pair<double, Rank>> arrivals_;
  std::vector<std::pair<Rank, OpId>> held_back_;  // operations that wait for late ranks, by rank
  // Waiting operations that may start, each with its group if by_group_ is true,
  // else with the resource whose queue it is in.
  BatchQueue offers_;
  bool by_group_ = false;
};

}}  // namespace tutti::sim
