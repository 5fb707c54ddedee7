// Pending completions, for engines that know how long an operation takes when it starts.
//
// Few different durations occur in a schedule: messages and reductions of one or two block sizes.
// Completions of equal duration come in the order of their starts, so each duration has a lane that
// is a plain queue, and push and pop cost O(1). What finds no lane, while more durations are in use
// than there are lanes, goes to a heap.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "schedules/op.hpp"

namespace tutti {

class CompletionQueue {
 public:
  // `start_s` must not decrease from call to call.
  void push(double start_s, double duration_s, OpId id) {
    const double end_s = start_s + duration_s;
    Lane* empty = nullptr;
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      if (lanes_[i].duration_s == duration_s) {
        lanes_[i].push(end_s, id);
        return;
      }
      if (empty == nullptr && lanes_[i].empty()) {
        empty = &lanes_[i];
      }
    }
    // A duration that has gone out of use gives its lane away: algorithms that double or halve what
    // they send use many durations, but few at a time.
    if (empty == nullptr && lanes_used_ < lanes_.size()) {
      empty = &lanes_[lanes_used_++];
    }
    if (empty != nullptr) {
      empty->duration_s = duration_s;
      empty->push(end_s, id);
      return;
    }
    heap_.emplace_back(end_s, id);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // Infinity when empty.
  [[nodiscard]] double next_s() const {
    double next = heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().first;
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      next = std::min(next, lanes_[i].next_s());
    }
    return next;
  }

  // Takes out all completions up to `until_s`, calling done(id) for each.
  template <typename Done>
  void pop_until(double until_s, Done&& done) {
    for (std::size_t i = 0; i < lanes_used_; ++i) {
      lanes_[i].pop_until(until_s, done);
    }
    while (!heap_.empty() && heap_.front().first <= until_s) {
      done(heap_.front().second);
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    }
  }

 private:
  struct Lane {
    double duration_s = 0;
    std::size_t head = 0;
    std::vector<std::pair<double, OpId>> queue;

    [[nodiscard]] bool empty() const { return head == queue.size(); }
    void push(double end_s, OpId id) { queue.emplace_back(end_s, id); }
    [[nodiscard]] double next_s() const {
      return head < queue.size() ? queue[head].first : std::numeric_limits<double>::infinity();
    }
    template <typename Done>
    void pop_until(double until_s, Done&& done) {
      while (head < queue.size() && queue[head].first <= until_s) {
        done(queue[head++].second);
      }
      if (head == queue.size()) {
        queue.clear();
        head = 0;
      } else if (head > 4096 && head > queue.size() / 2) {
        queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(head));
        head = 0;
      }
    }
  };

  std::array<Lane, 8> lanes_;
  std::size_t lanes_used_ = 0;
  std::vector<std::pair<double, OpId>> heap_;
};

}  // namespace tutti
