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
// A reduction or a copy holds the core of its rank. A message that is moved by the receiver's core
// holds that core.
//
// A waiting operation is in the queue of one or two resources (ports or cores) that it lacks. When
// a resource is freed, one walk over its queue finds the first operation that lacks no other
// resource (wait_queue.hpp). The walk goes on only while the resource has room.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/sort_runs.hpp"
#include "sim/wait_queue.hpp"

namespace tutti::inline sim {

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
        release(out_port(op));
        release(in_port(op));
      }
      if (is_by_core(id)) [[unlikely]] {
        release(core_of(op.dst()));
      }
    } else {
      release(core(op));
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
  [[nodiscard]] std::string describe_unfinished() const;

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
    idle_senders_ = with_room_[kOutgoing];
    for (const std::uint32_t resource : freed_) {
      queues_[resource]->rewind();
      idle_senders_ -= kind(resource) == kOutgoing && free_[resource] > 0 ? 1 : 0;
    }
    for (const std::uint32_t resource : freed_) {
      offer(resource);
    }
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
      if (offers_.empty() || (next < ready_.size() && ready_[next] < offers_.front().first)) {
        const OpId id = ready_[next++];
        if (take(id)) {
          begin_op(id);
        }
        continue;
      }
      std::pop_heap(offers_.begin(), offers_.end(), std::greater<>());
      const auto [id, resource] = offers_.back();
      offers_.pop_back();
      const bool taken = waits_[id] && take(id);  // an operation may be offered by two queues
      if (taken) {
        waits_[id] = false;
      }
      offer(resource);
      if (taken) {
        begin_op(id);
      }
    }
    ready_.clear();
    for (const std::uint32_t resource : freed_) {
      freed_mark_[resource] = 0;
    }
    freed_.clear();
  }

  [[nodiscard]] std::uint32_t out_port(const Op& op) const { return op.src(); }
  [[nodiscard]] std::uint32_t in_port(const Op& op) const { return places_ + op.dst(); }
  [[nodiscard]] std::uint32_t core(const Op& op) const { return core_of(op.rank()); }
  [[nodiscard]] std::uint32_t core_of(Rank rank) const { return 2 * places_ + rank; }
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
    if (free_[resource]++ == 0) {
      ++with_room_[kind(resource)];
    }
    if (queues_[resource] && freed_mark_[resource] == 0) {
      freed_mark_[resource] = 1;
      freed_.push_back(resource);
    }
  }

  void hold(std::uint32_t resource) {
    if (--free_[resource] == 0) {
      --with_room_[kind(resource)];
    }
  }

  static constexpr std::uint32_t kOutgoing = 0;
  static constexpr std::uint32_t kIncoming = 1;
  static constexpr std::uint32_t kCore = 2;
  [[nodiscard]] std::uint32_t kind(std::uint32_t resource) const {
    return resource < places_ ? kOutgoing : resource < 2 * places_ ? kIncoming : kCore;
  }

  // If `resource` has room, finds the next operation that waits for it and lacks no other resource,
  // and adds that operation to offers_. If an operation is in the queues of two ports, and both
  // were freed in this instant (the usual case in a synchronous schedule), only the sender's port
  // offers the operation.
  void offer(std::uint32_t resource) {
    if (free_[resource] == 0) {
      return;
    }
    WaitQueue& queue = *queues_[resource];
    const std::uint32_t own = kind(resource);
    const bool receives = own == kIncoming;
    const bool nobody = receives ? idle_senders_ == 0 : own != kCore && with_room_[kIncoming] == 0;
    if (nobody && queue.all_in_both()) {
      return;
    }
    const OpId id = queue.next(
        [this](OpId waiting) -> bool { return waits_[waiting]; },
        [&](std::uint32_t other, bool in_both) {
          return free_[other] > 0 && !(receives && in_both && freed_mark_[other] != 0);
        },
        [&](OpId waiting, std::uint32_t other) { queue_at(other).put(waiting, resource); });
    if (id != WaitQueue::kNobody) {
      offers_.emplace_back(id, resource);
      std::push_heap(offers_.begin(), offers_.end(), std::greater<>());
    }
  }

  // Takes all resources that operation `id` needs. If one is missing, puts the operation into the
  // queue of that resource, and returns false.
  bool take(OpId id) {
    const Op& op = schedule_.op(id);
    if (!op.is_comm()) {
      return take_or_wait(id, core(op));
    }
    if (is_by_core(id)) [[unlikely]] {
      const std::uint32_t core = core_of(op.dst());
      if (free_[core] == 0) {
        wait(id, core);
        return false;
      }
      if (!take_ports(id, op)) {
        return false;
      }
      hold(core);
      return true;
    }
    return take_ports(id, op);
  }

  bool take_ports(OpId id, const Op& op) {
    if (!takes_ports(op)) {
      return true;
    }
    const std::uint32_t out = out_port(op);
    if (free_[out] == 0) {
      wait(id, out);
      return false;
    }
    if (!take_or_wait(id, in_port(op))) {
      return false;
    }
    hold(out);
    return true;
  }

  bool take_or_wait(OpId id, std::uint32_t resource) {
    if (free_[resource] == 0) {
      wait(id, resource);
      return false;
    }
    hold(resource);
    return true;
  }

  void wait(OpId id, std::uint32_t resource) {
    waited_ = true;
    if (waits_.empty()) [[unlikely]] {
      waits_.resize(schedule_.size());
    }
    waits_[id] = true;
    const Op& op = schedule_.op(id);
    const std::uint32_t own = kind(resource);
    queue_at(resource).put(id, own == kCore       ? resource
                               : own == kIncoming ? out_port(op)
                                                  : in_port(op));
  }

  [[nodiscard]] WaitQueue& queue_at(std::uint32_t resource) {
    if (!queues_[resource]) [[unlikely]] {
      queues_[resource] = std::make_unique<WaitQueue>();
    }
    return *queues_[resource];
  }

  const Schedule& schedule_;
  std::uint32_t places_;  // number of ranks and switches
  const std::vector<bool>& by_core_;
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
  // By resource: the number of operations for which it still has room. Resources are numbered in
  // this order: the outgoing ports of all ranks and switches, their incoming ports, the cores.
  // Ports of switches are unlimited.
  std::vector<std::uint32_t> free_;
  std::array<std::uint32_t, 3> with_room_;  // number of resources with room, by kind
  std::uint32_t idle_senders_ = 0;  // outgoing ports with room that were not freed in this instant
  // Queue of each resource; null: no operation has waited for it yet.
  std::vector<std::unique_ptr<WaitQueue>> queues_;
  // By operation: true if it is in a queue. Empty if no operation has waited yet.
  std::vector<bool> waits_;
  std::vector<std::uint32_t> freed_;  // resources with a queue, freed since the last start_ready()
  std::vector<std::uint8_t> freed_mark_;
  // Late ranks that have not arrived yet, with their times of arrival, sorted by decreasing time.
  std::vector<std::pair<double, Rank>> arrivals_;
  std::vector<std::pair<Rank, OpId>> held_back_;  // operations that wait for late ranks, by rank
  // Heap of operations that may start, each with the resource whose queue offers it.
  std::vector<std::pair<OpId, std::uint32_t>> offers_;
};

}  // namespace tutti::inline sim
