// Finds out when the flows that a link holds back end.
//
// All these flows get service from the link in proportion to their weights. So one number, the
// service per unit of weight so far, is a clock for all of them. When the link begins to hold a
// flow back, the flow's end is known as a reading of that clock: the current reading plus the
// service that the flow still needs. When the level of the link changes, the clock runs at another
// pace, and no flow has to be changed.
//
// (Such a clock is the virtual time of weighted fair queueing: Demers, Keshav and Shenker,
// "Analysis and simulation of a fair queueing algorithm", SIGCOMM 1989.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "sim/id_list.hpp"

namespace tutti { inline namespace sim {

// The level of a link that holds no flow back.
inline constexpr double kNotFull = std::numeric_limits<double>::infinity();

// The flows of one link, sorted by what the link's clock shows at their ends. Successive flows that
// end at the same time, as in an all-to-all, are stored as one list.
class ClockQueue {
 public:
  [[nodiscard]] bool empty() const { return open_.empty() && heap_.empty(); }
  [[nodiscard]] std::size_t entries() const { return heap_.size(); }

  void push(IdPool& pool, double at, std::uint32_t id) {
    if (!open_.empty() && at != open_at_) {
      close(pool);
    }
    open_at_ = at;
    open_.push(pool, id);
  }

  // Returns what the clock shows when the first flow ends. The queue must not be empty.
  [[nodiscard]] double first_at() const {
    if (open_.empty()) {
      return heap_.front().at;
    }
    return heap_.empty() ? open_at_ : std::min(open_at_, heap_.front().at);
  }
  // Returns one of the flows that end first.
  [[nodiscard]] std::uint32_t first_id() const {
    if (!open_.empty() && (heap_.empty() || open_at_ <= heap_.front().at)) {
      return open_.front();
    }
    const Entry& entry = heap_.front();
    return entry.run == kSingle ? entry.id : runs_[entry.run].front();
  }

  // Removes all flows that end first, and calls visit(id) for each.
  template <typename Visit>
  void pop_first(IdPool& pool, Visit&& visit) {
    if (!open_.empty() && (heap_.empty() || open_at_ <= heap_.front().at)) {
      open_.drain(pool, visit);
      return;
    }
    const Entry entry = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    if (entry.run == kSingle) {
      visit(entry.id);
      return;
    }
    runs_[entry.run].drain(pool, visit);
    if (heap_.empty()) {
      runs_.clear();
    }
  }

  // Removes first_id().
  void pop_stale(IdPool& pool) {
    IdList* run = nullptr;
    if (!open_.empty() && (heap_.empty() || open_at_ <= heap_.front().at)) {
      run = &open_;
    } else if (heap_.front().run != kSingle && runs_[heap_.front().run].size() > 1) {
      run = &runs_[heap_.front().run];
    }
    if (run != nullptr) {
      run->pop(pool);
    } else {
      pop_first(pool, [](std::uint32_t) {});
    }
  }

  // Removes each entry that consists of a single flow, if keeps(at, id) is false for this flow.
  template <typename Keeps>
  void sweep(Keeps&& keeps) {
    std::erase_if(heap_, [&](const Entry& entry) {
      return entry.run == kSingle && !keeps(entry.at, entry.id);
    });
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  void clear(IdPool& pool) {
    open_.clear(pool);
    for (IdList& run : runs_) {
      run.clear(pool);
    }
    runs_.clear();
    heap_.clear();
  }

 private:
  static constexpr std::uint32_t kSingle = 0xffffffffU;

  struct Entry {
    double at = 0;
    std::uint32_t id = 0;
    std::uint32_t run = kSingle;  // index in runs_; kSingle: the only flow is `id`

    friend bool operator>(const Entry& a, const Entry& b) { return a.at > b.at; }
  };

  void close(IdPool& pool) {
    if (open_.size() == 1) {
      heap_.push_back({open_at_, open_.front()});
      open_.clear(pool);
    } else {
      heap_.push_back({open_at_, 0, static_cast<std::uint32_t>(runs_.size())});
      runs_.push_back(open_);
      open_ = {};
    }
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  double open_at_ = 0;
  IdList open_;  // the flows that were added last; all end at open_at_
  std::vector<Entry> heap_;
  std::vector<IdList> runs_;
};

// The clocks of links that hold flows back, ordered by the time when their first flow ends.
class LinkClocks {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Clock {
    double shows = 0;    // what the clock showed at since_s, in bytes per unit of weight
    double since_s = 0;  // time when the current pace began
    double pace = kNotFull;
    double next_s = std::numeric_limits<double>::infinity();  // time when its first flow ends
    std::uint32_t link = 0;
    std::uint32_t place = kNone;  // index in order_
    ClockQueue queue;

    [[nodiscard]] double shows_at(double now_s) const {
      return pace == kNotFull ? shows : shows + pace * (now_s - since_s);
    }
  };

  // Adds a clock for a link that had none yet.
  [[nodiscard]] std::uint32_t add(std::uint32_t link) {
    clocks_.emplace_back().link = link;
    return static_cast<std::uint32_t>(clocks_.size() - 1);
  }
  [[nodiscard]] Clock& operator[](std::uint32_t clock) { return clocks_[clock]; }
  [[nodiscard]] const Clock& operator[](std::uint32_t clock) const { return clocks_[clock]; }

  void set_pace(std::uint32_t index, double now_s, double pace) {
    Clock& clock = clocks_[index];
    clock.shows = clock.shows_at(now_s);
    clock.since_s = now_s;
    clock.pace = pace;
  }

  // Updates the order after the clock's queue or pace has changed. If rounding puts the end of its
  // first flow before `now_s`, the flow ends at `now_s`.
  void place(std::uint32_t index, double now_s) {
    Clock& clock = clocks_[index];
    if (clock.queue.empty() || clock.pace == kNotFull) {
      remove(index);
      return;
    }
    const double next_s = clock.since_s + (clock.queue.first_at() - clock.shows) / clock.pace;
    clock.next_s = std::max(next_s, now_s);
    if (clock.place == kNone) {
      clock.place = static_cast<std::uint32_t>(order_.size());
      order_.push_back(index);
    }
    sift(clock.place);
  }

  void remove(std::uint32_t index) {
    const std::uint32_t place = clocks_[index].place;
    if (place == kNone) {
      return;
    }
    clocks_[index].place = kNone;
    const std::uint32_t last = order_.back();
    order_.pop_back();
    if (last != index) {
      order_[place] = last;
      clocks_[last].place = place;
      sift(place);
    }
  }

  [[nodiscard]] bool empty() const { return order_.empty(); }
  [[nodiscard]] std::uint32_t first() const { return order_.front(); }
  [[nodiscard]] double next_s() const {
    return order_.empty() ? std::numeric_limits<double>::infinity() : clocks_[order_[0]].next_s;
  }

 private:
  // Restores the order of the binary heap order_, and updates Clock::place of the clocks that move.
  void sift(std::uint32_t at) {
    const std::uint32_t moved = order_[at];
    const double key = clocks_[moved].next_s;
    while (at > 0 && clocks_[order_[(at - 1) / 2]].next_s > key) {
      put(at, order_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    while (2 * at + 1 < order_.size()) {
      std::uint32_t child = 2 * at + 1;
      if (child + 1 < order_.size() &&
          clocks_[order_[child + 1]].next_s < clocks_[order_[child]].next_s) {
        ++child;
      }
      if (clocks_[order_[child]].next_s >= key) {
        break;
      }
      put(at, order_[child]);
      at = child;
    }
    put(at, moved);
  }

  void put(std::uint32_t at, std::uint32_t clock) {
    order_[at] = clock;
    clocks_[clock].place = at;
  }

  std::vector<Clock> clocks_;
  std::vector<std::uint32_t> order_;  // heap by next_s
};

}}  // namespace tutti::sim
