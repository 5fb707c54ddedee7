// What is going to happen when, for an engine that changes its mind: an event can be overtaken by a
// later one of the same id. Events carry a stamp for that, and stale ones are passed over.
//
// Few different durations occur at a time, even where links are shared, because what shares alike
// ends alike. Events of equal duration come in the order in which they were made, so each duration
// has a lane that is a plain queue; what finds no lane goes to a heap.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace tutti {

struct Event {
  double at_s = 0;
  std::uint32_t id = 0;
  std::uint32_t stamp = 0;

  friend bool operator>(const Event& a, const Event& b) { return a.at_s > b.at_s; }
};

// First in, first out, in chunks that are given back when they are empty: millions of events may
// leave one queue while as many enter another.
class EventFifo {
 public:
  EventFifo() = default;
  EventFifo(const EventFifo&) = delete;
  EventFifo& operator=(const EventFifo&) = delete;
  ~EventFifo() {
    while (first_) {  // one by one: each destroyed within the last would be a deep recursion
      first_ = std::move(first_->next);
    }
  }

  [[nodiscard]] bool empty() const { return first_.get() == last_ && head_ == tail_; }
  [[nodiscard]] const Event& front() const { return first_->events[head_]; }

  void push(const Event& event) {
    if (last_ == nullptr) {
      first_ = std::make_unique<Chunk>();
      last_ = first_.get();
    } else if (tail_ == kChunk) {
      last_->next = std::make_unique<Chunk>();
      last_ = last_->next.get();
      tail_ = 0;
    }
    last_->events[tail_++] = event;
  }

  void pop() {
    ++head_;
    if (first_.get() == last_) {
      if (head_ == tail_) {
        head_ = tail_ = 0;
      }
    } else if (head_ == kChunk) {
      first_ = std::move(first_->next);
      head_ = 0;
    }
  }

 private:
  static constexpr std::size_t kChunk = 1024;
  struct Chunk {
    std::array<Event, kChunk> events;
    std::unique_ptr<Chunk> next;
  };

  std::unique_ptr<Chunk> first_;
  Chunk* last_ = nullptr;
  std::size_t head_ = 0;  // in the first chunk
  std::size_t tail_ = 0;  // in the last one
};

class EventQueue {
 public:
  // `now_s` must not decrease from call to call.
  void push(double now_s, double duration_s, std::uint32_t id, std::uint32_t stamp = 0) {
    const Event event{now_s + duration_s, id, stamp};
    Lane* empty = nullptr;
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      if (lanes_[i].duration_s == duration_s) {
        lanes_[i].queue.push(event);
        return;
      }
      if (empty == nullptr && lanes_[i].queue.empty()) {
        empty = &lanes_[i];
      }
    }
    if (empty == nullptr && lanes_used_ < lanes_.size()) {
      empty = &lanes_[lanes_used_++];
    }
    if (empty != nullptr) {
      empty->duration_s = duration_s;
      empty->queue.push(event);
      return;
    }
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // The first event for which is_valid(event); infinity when there is none.
  template <typename IsValid>
  [[nodiscard]] double next_s(IsValid&& is_valid) {
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      EventFifo& lane = lanes_[i].queue;
      while (!lane.empty() && !is_valid(lane.front())) {
        lane.pop();
      }
      if (!lane.empty()) {
        next = std::min(next, lane.front().at_s);
      }
    }
    drop_stale(is_valid);
    return heap_.empty() ? next : std::min(next, heap_.front().at_s);
  }

  // Takes out all events up to `until_s`, and calls happens(event) for the valid ones; which may
  // push none.
  template <typename IsValid, typename Happens>
  void pop_until(double until_s, IsValid&& is_valid, Happens&& happens) {
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      EventFifo& lane = lanes_[i].queue;
      while (!lane.empty() && lane.front().at_s <= until_s) {
        const Event event = lane.front();
        lane.pop();
        if (is_valid(event)) {
          happens(event);
        }
      }
    }
    while (!heap_.empty() && heap_.front().at_s <= until_s) {
      const Event event = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (is_valid(event)) {
        happens(event);
      }
    }
  }

 private:
  struct Lane {
    double duration_s = 0;
    EventFifo queue;
  };

  // Where rates change often, most of the heap is stale: now and then all of that goes at once.
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

  std::array<Lane, 8> lanes_;
  std::size_t lanes_used_ = 0;
  std::vector<Event> heap_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace tutti
