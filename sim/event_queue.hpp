// A queue of future events.
//
// Only a few different durations occur at a time, even on shared links, because flows with equal
// shares end at the same time. Events with equal durations happen in the order in which they were
// added, so each duration has a lane, which is a plain queue. Many of these events are at the same
// time, so an entry of a lane consists of one time and a list of ids. Events without a lane go to a
// heap.
//
// An engine may replace an event by a later one with the same id. The old event is then stale and
// is skipped: the functions below call is_valid(event), which returns false for a stale event.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "sim/id_list.hpp"

namespace tutti { inline namespace sim {

struct Event {
  double at_s = 0;
  std::uint32_t id = 0;

  friend bool operator>(const Event& a, const Event& b) { return a.at_s > b.at_s; }
};

// The is_valid() of engines that never replace an event.
struct AlwaysValid {
  bool operator()(const Event&) const { return true; }
};

class EventQueue {
 public:
  // `pool` must outlive the queue.
  explicit EventQueue(IdPool& pool) : pool_(pool) {}
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  // Adds an event at `now_s` + `duration_s`, and returns its time. `now_s` must not decrease from
  // call to call.
  double push(double now_s, double duration_s, std::uint32_t id) {
    const double at_s = now_s + duration_s;
    if (lanes_[last_lane_].duration_s == duration_s && last_lane_ < lanes_used_) [[likely]] {
      lanes_[last_lane_].queue.push(pool_, at_s, id);
      return at_s;
    }
    return push_elsewhere(at_s, duration_s, id);
  }

  // Returns the time of the first valid event; infinity if there is none.
  template <typename IsValid = AlwaysValid>
  [[nodiscard]] double next_s(IsValid&& is_valid = {}) {
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      Runs& lane = lanes_[i].queue;
      while (!lane.empty() && !is_valid(lane.front_event())) {
        lane.drop_event(pool_);
      }
      if (!lane.empty()) {
        next = std::min(next, lane.front().at_s);
      }
    }
    drop_stale(is_valid);
    return heap_.empty() ? next : std::min(next, heap_.front().at_s);
  }

  // Removes all events up to `until_s`, and calls happens(id) for the valid ones. happens() must
  // not push into this queue.
  template <typename IsValid, typename Happens>
  void pop_until(double until_s, IsValid&& is_valid, Happens&& happens) {
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      Runs& lane = lanes_[i].queue;
      while (!lane.empty() && lane.front().at_s <= until_s) {
        Run run = lane.pop();
        run.ids.drain(pool_, [&](std::uint32_t id) {
          if (is_valid(Event{run.at_s, id})) {
            happens(id);
          }
        });
      }
    }
    while (!heap_.empty() && heap_.front().at_s <= until_s) {
      const Event event = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (is_valid(event)) {
        happens(event.id);
      }
    }
  }

  template <typename Happens>
  void pop_until(double until_s, Happens&& happens) {
    pop_until(until_s, AlwaysValid(), happens);
  }

 private:
  struct Run {
    double at_s = 0;
    IdList ids;
  };

  // A queue of runs: a ring buffer whose size is a power of two.
  class Runs {
   public:
    [[nodiscard]] bool empty() const { return head_ == tail_; }
    [[nodiscard]] const Run& front() const { return ring_[head_ & (ring_.size() - 1)]; }
    [[nodiscard]] Event front_event() const { return {front().at_s, front().ids.front()}; }

    void push(IdPool& pool, double at_s, std::uint32_t id) {
      if (!empty()) {
        Run& last = ring_[(tail_ - 1) & (ring_.size() - 1)];
        if (last.at_s == at_s) {
          last.ids.push(pool, id);
          return;
        }
      }
      if (tail_ - head_ == ring_.size()) [[unlikely]] {
        grow();
      }
      Run& run = ring_[tail_++ & (ring_.size() - 1)];
      run.at_s = at_s;
      run.ids = {};
      run.ids.push(pool, id);
    }

    Run pop() { return ring_[head_++ & (ring_.size() - 1)]; }

    void drop_event(IdPool& pool) {
      IdList& ids = ring_[head_ & (ring_.size() - 1)].ids;
      ids.pop(pool);
      head_ += ids.empty() ? 1 : 0;
    }

   private:
    void grow() {
      std::vector<Run> larger(std::max<std::size_t>(4, 2 * ring_.size()));
      for (std::size_t at = head_; at != tail_; ++at) {
        larger[at - head_] = ring_[at & (ring_.size() - 1)];
      }
      tail_ -= head_;
      head_ = 0;
      ring_.swap(larger);
    }

    std::vector<Run> ring_;
    // head_ and tail_ never decrease, and are used modulo the size of the ring.
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
  };

  struct Lane {
    double duration_s = 0;
    Runs queue;
  };

  double push_elsewhere(double at_s, double duration_s, std::uint32_t id) {
    Lane* empty = nullptr;
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      if (lanes_[i].duration_s == duration_s) {
        last_lane_ = i;
        lanes_[i].queue.push(pool_, at_s, id);
        return at_s;
      }
      if (empty == nullptr && lanes_[i].queue.empty()) {
        empty = &lanes_[i];
      }
    }
    // A new duration uses an empty lane, because algorithms that double or halve their messages
    // have many durations, but few at a time.
    if (empty == nullptr && lanes_used_ < lanes_.size()) {
      empty = &lanes_[lanes_used_++];
    }
    if (empty != nullptr) {
      last_lane_ = static_cast<std::size_t>(empty - lanes_.data());
      empty->duration_s = duration_s;
      empty->queue.push(pool_, at_s, id);
      return at_s;
    }
    heap_.push_back({at_s, id});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    return at_s;
  }

  // Removes stale events from the front of the heap. If rates change often, most of the heap is
  // stale, so all stale events are removed whenever the heap has grown enough.
  template <typename IsValid>
  void drop_stale(IsValid&& is_valid) {
    if (heap_.size() > sweep_at_) {
      std::erase_if(heap_, [&](const Event& event) { return !is_valid(event); });
      std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
      sweep_at_ = std::max<std::size_t>(1024, 2 * heap_.size());
    }
    while (!heap_.empty() && !is_valid(heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    }
  }

  IdPool& pool_;
  std::array<Lane, 8> lanes_;
  std::size_t lanes_used_ = 0;
  std::size_t last_lane_ = 0;  // the lane to which an event was added last
  std::vector<Event> heap_;
  std::size_t sweep_at_ = 1024;
};

}}  // namespace tutti::sim
