// Keeps the rates of flows, and finds out when flows end.
//
// Only two values are stored for each flow: a note of 32 bits, and a number at the place where the
// flow's end will be written. The note says what holds the flow back: either nothing, so that the
// flow runs at the full speed of its path, or a link, at the level of that link. The number is the
// time at which the flow ends if its rate stays the same. For a flow that a link holds back, the
// number is what the link's clock will show at that time. Everything else follows from the path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "schedules/op.hpp"
#include "sim/event_queue.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/flow_watch.hpp"
#include "sim/flow/link_clocks.hpp"
#include "sim/flow/link_loads.hpp"

namespace tutti { inline namespace sim {

// Values of the notes of flows. Operations that are not flows at the moment have the note 0.
inline constexpr std::uint32_t kNewFlow = 1;    // the flow has no rate yet
inline constexpr std::uint32_t kFlowAtCap = 2;  // the flow runs at full speed, as if alone
// kFlowByHop plus the index of a hop in the path means that the link of this hop holds the flow
// back.
inline constexpr std::uint32_t kFlowByHop = 3;
// Flag: the flow has no rate until the rates of its component are computed.
inline constexpr std::uint32_t kFlowOpen = 1U << 31U;

class FlowRates {
 public:
  FlowRates(FlowPaths& paths, LinkLoads& links, std::span<std::uint32_t> notes,
            std::span<double> end_s, IdPool& pool)
      : paths_(paths), links_(links), notes_(notes), end_s_(end_s), pool_(pool), transfers_(pool) {}

  // Sets what holds flow `id` back from now on. If `note` names a link, the level of that link may
  // be set by set_level() before or after this call.
  void set(double now_s, OpId id, const FlowPath& path, std::uint32_t note) {
    const std::uint32_t before = notes_[id] & ~kFlowOpen;
    notes_[id] = note;
    if (note == before) {
      return;
    }
    if (watch_ != nullptr) [[unlikely]] {
      tell(now_s, id, path, before);
    }
    const RouteFigures& figures = path.figures();
    // The flow moves from the clock of one link to the clock of another.
    if (before >= kFlowByHop && note >= kFlowByHop) {
      const double missing =
          end_s_[id] - clock_of(path.link(path.hops()[before - kFlowByHop])).shows_at(now_s);
      join_clock(now_s, id, path.link(path.hops()[note - kFlowByHop]), missing);
      return;
    }
    const double missing = missing_bytes(now_s, id, path, before);
    if (note >= kFlowByHop) {
      join_clock(now_s, id, path.link(path.hops()[note - kFlowByHop]),
                 missing / (figures.weight * figures.efficiency));
    } else {
      end_s_[id] =
          transfers_.push(now_s, missing / (figures.alone_bytes_per_s * figures.efficiency), id);
      if (watch_ != nullptr) [[unlikely]] {
        watch_->runs_alone(now_s, id);
      }
    }
  }

  // From the next flow on, reports to `watch` what holds flows back.
  void watch(FlowWatch* watch) { watch_ = watch; }
  // tell_over() reports that the flow has ended, and tell_split() that one stretch of it ends now
  // and another begins.
  void tell_over(double now_s, OpId id, const FlowPath& path) {
    tell(now_s, id, path, notes_[id] & ~kFlowOpen);
  }
  void tell_split(double now_s, OpId id, const FlowPath& path) {
    const std::uint32_t note = notes_[id] & ~kFlowOpen;
    tell(now_s, id, path, note);
    begin(now_s, id, path, note);
  }

  // Must be called with the rate of each flow, so that disturbed() knows whether any flow was slow.
  void note_speed(const RouteFigures& figures, double bytes_per_s) {
    disturbed_ |= bytes_per_s < figures.alone_bytes_per_s * (1 - 1e-12);
  }

  // Sets the level of a link from now on. Must also be called if the level is unchanged, but the
  // flows of the link have changed.
  void set_level(double now_s, std::uint32_t index, double level) {
    const LinkLoads::Link& link = links_[index];
    links_.level(index) = level;
    if (link.clock != LinkClocks::kNone) {
      if (clocks_[link.clock].pace != level) {
        clocks_.set_pace(link.clock, now_s, level);
      }
      clocks_.place(link.clock, now_s);
    }
  }

  // Resets a link that has no flows any more.
  void clear(std::uint32_t index) {
    const LinkLoads::Link& link = links_[index];
    links_.level(index) = kNotFull;
    if (link.clock != LinkClocks::kNone) {
      LinkClocks::Clock& clock = clocks_[link.clock];
      clock.queue.clear(pool_);
      clock.shows = 0;
      clock.pace = kNotFull;
      clocks_.remove(link.clock);
    }
  }

  // Returns the time when the next flow ends.
  [[nodiscard]] double next_s(double now_s) {
    while (!clocks_.empty()) {
      const std::uint32_t first = clocks_.first();
      LinkClocks::Clock& clock = clocks_[first];
      if (is_held(clock.link, clock.queue.first_at(), clock.queue.first_id())) {
        break;
      }
      clock.queue.pop_stale(pool_);
      clocks_.place(first, now_s);
    }
    return std::min(clocks_.next_s(),
                    transfers_.next_s([this](const Event& event) { return holds(event); }));
  }
  // Calls over(id) for each flow that ends by `until_s`. over() must set the flow's note to 0.
  template <typename Over>
  void pop_until(double now_s, double until_s, Over&& over) {
    transfers_.pop_until(
        until_s, [this](const Event& event) { return holds(event); }, over);
    while (clocks_.next_s() <= until_s) {
      const std::uint32_t first = clocks_.first();
      LinkClocks::Clock& clock = clocks_[first];
      const double at = clock.queue.first_at();
      clock.queue.pop_first(pool_, [&](OpId id) {
        if ((notes_[id] & kFlowOpen) == 0 && is_held(clock.link, at, id)) {
          due_.push_back(id);
          notes_[id] |= kFlowOpen;  // marks the id, which may be in the queue twice
        }
      });
      clocks_.place(first, now_s);
    }
    for (const OpId id : due_) {
      over(id);
    }
    due_.clear();
  }

  // True if any flow was slower than it would have been alone.
  [[nodiscard]] bool disturbed() const { return disturbed_; }

 private:
  // Stale entries are removed from the queue of a link's clock when the queue has about this many
  // entries for each flow on the link.
  static constexpr std::size_t kStale = 4;

  // An event of transfers_ is valid as long as its flow is under way and still ends at the event's
  // time.
  [[nodiscard]] bool holds(const Event& event) const {
    return notes_[event.id] == kFlowAtCap && end_s_[event.id] == event.at_s;
  }
  // True if the link still holds the flow back, and the flow ends when the link's clock shows `at`.
  [[nodiscard]] bool is_held(std::uint32_t link, double at, OpId id) {
    const std::uint32_t note = notes_[id] & ~kFlowOpen;
    if (note < kFlowByHop || end_s_[id] != at) {
      return false;
    }
    const FlowPath path = paths_.of(id);
    return path.link(path.hops()[note - kFlowByHop]) == link;
  }

  [[nodiscard]] double missing_bytes(double now_s, OpId id, const FlowPath& path,
                                     std::uint32_t before) {
    const RouteFigures& figures = path.figures();
    if (before == kNewFlow) {
      return paths_.amount(id, path);
    }
    if (before < kFlowByHop) {
      return figures.alone_bytes_per_s * figures.efficiency * std::max(0.0, end_s_[id] - now_s);
    }
    const LinkClocks::Clock& clock = clock_of(path.link(path.hops()[before - kFlowByHop]));
    return std::max(0.0, end_s_[id] - clock.shows_at(now_s)) * figures.weight * figures.efficiency;
  }

  void tell(double now_s, OpId id, const FlowPath& path, std::uint32_t note) {
    if (note != kNewFlow) {
      watch_->was(now_s, id, shows_for(now_s, path, note), path.own_level());
    }
  }
  void begin(double now_s, OpId id, const FlowPath& path, std::uint32_t note) {
    if (note >= kFlowByHop) {
      watch_->is_held(now_s, id, path.link(path.hops()[note - kFlowByHop]),
                      shows_for(now_s, path, note));
    } else if (note == kFlowAtCap) {
      watch_->runs_alone(now_s, id);
    }
  }
  // Returns what the clock of the link that holds the flow back shows; 0 if no link holds it back.
  [[nodiscard]] double shows_for(double now_s, const FlowPath& path, std::uint32_t note) const {
    return note >= kFlowByHop ? clock_of(path.link(path.hops()[note - kFlowByHop])).shows_at(now_s)
                              : 0;
  }

  [[nodiscard]] const LinkClocks::Clock& clock_of(std::uint32_t index) const {
    return clocks_[links_[index].clock];
  }

  void join_clock(double now_s, OpId id, std::uint32_t index, double missing) {
    if (links_[index].clock == LinkClocks::kNone) [[unlikely]] {
      // A link without a clock may have a level already, if its flows were held back at the same
      // level by other links.
      links_[index].clock = clocks_.add(index);
      clocks_.set_pace(links_[index].clock, now_s, links_.level(index));
    }
    LinkClocks::Clock& clock = clocks_[links_[index].clock];
    end_s_[id] = clock.shows_at(now_s) + std::max(0.0, missing);
    if (clock.queue.entries() > kStale * links_[index].flows + 64) [[unlikely]] {
      clock.queue.sweep([&](double at, OpId other) { return is_held(index, at, other); });
    }
    clock.queue.push(pool_, end_s_[id], id);
    if (watch_ != nullptr) [[unlikely]] {
      watch_->is_held(now_s, id, index, clock.shows_at(now_s));
    }
    if (clock.pace != kNotFull) {
      clocks_.place(links_[index].clock, now_s);
    }
  }

  FlowPaths& paths_;
  LinkLoads& links_;
  std::span<std::uint32_t> notes_;
  std::span<double> end_s_;
  IdPool& pool_;
  EventQueue transfers_;  // ends of flows that no link holds back
  LinkClocks clocks_;
  std::vector<OpId> due_;
  bool disturbed_ = false;
  FlowWatch* watch_ = nullptr;
};

}}  // namespace tutti::sim
