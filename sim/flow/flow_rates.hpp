// How fast flows are, and when they will be over.
//
// Nothing is kept for a flow but a note of 32 bits and the place where its end will be written. The
// note says what holds the flow back: itself alone, its own cap, or one of the links on its way;
// and the link says at what level. The rest follows from the path. While a flow is under way its
// end is the one that it will have if nothing changes, so that what remains of it is the rate times
// the time until then.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "schedules/op.hpp"
#include "sim/event_queue.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/link_loads.hpp"

namespace tutti {

// Values of the notes of flows; 0 is that of operations that are no flow, not yet or no more.
inline constexpr std::uint32_t kNewFlow = 1;           // has no rate yet
inline constexpr std::uint32_t kFlowAlone = 2;         // as fast as its path lets it be
inline constexpr std::uint32_t kFlowAtCap = 3;         // shares links, and is as fast as it ever is
inline constexpr std::uint32_t kFlowByHop = 4;         // this plus a hop: held back by that link
inline constexpr std::uint32_t kFlowOpen = 1U << 31U;  // a flag: waits for the component's solution

class FlowRates {
 public:
  FlowRates(FlowPaths& paths, const LinkLoads& links, std::span<std::uint32_t> notes,
            std::span<double> end_s, IdPool& pool)
      : paths_(paths), links_(links), notes_(notes), end_s_(end_s), transfers_(pool) {}

  // From now on flow `id` takes `bytes_per_s` of its links, because of `note`. Levels of links must
  // not change before all flows that they hold back have got their new rates.
  void set(double now_s, OpId id, const FlowPath& path, double bytes_per_s, std::uint32_t note) {
    const RouteFigures& figures = path.figures();
    disturbed_ |= bytes_per_s < figures.alone_bytes_per_s * (1 - 1e-12);
    const std::uint32_t before = notes_[id] & ~kFlowOpen;
    notes_[id] = note;
    const double rate = bytes_per_s * figures.efficiency;
    double remaining = 0;
    if (before == kNewFlow) {
      remaining = paths_.amount(id, path);
    } else {
      const double old = rate_of(path, before);
      if (std::abs(bytes_per_s - old) <= kSameRate * bytes_per_s) {
        return;
      }
      remaining = old * figures.efficiency * std::max(0.0, end_s_[id] - now_s);
    }
    end_s_[id] = transfers_.push(now_s, remaining / rate, id);
  }

  // When the first flow is over.
  [[nodiscard]] double next_s() {
    return transfers_.next_s([this](const Event& event) { return holds(event); });
  }
  // Calls over(id) for the flows that are over by then; which must set their notes to 0.
  template <typename Over>
  void pop_until(double until_s, Over&& over) {
    transfers_.pop_until(
        until_s, [this](const Event& event) { return holds(event); }, over);
  }

  // Some flow was slower than it would have been alone.
  [[nodiscard]] bool disturbed() const { return disturbed_; }

 private:
  // A rate that changes by less is rounding, and the end stays as it is.
  static constexpr double kSameRate = 1e-14;

  // As long as the flow is under way and still to end then.
  [[nodiscard]] bool holds(const Event& event) const {
    return notes_[event.id] != 0 && end_s_[event.id] == event.at_s;
  }

  [[nodiscard]] double rate_of(const FlowPath& path, std::uint32_t note) const {
    switch (note) {
      case kFlowAlone:
        return path.figures().alone_bytes_per_s;
      case kFlowAtCap:
        return path.figures().cap_bytes_per_s;
      default:
        return links_[path.link(path.hops()[note - kFlowByHop])].level * path.figures().weight;
    }
  }

  FlowPaths& paths_;
  const LinkLoads& links_;
  std::span<std::uint32_t> notes_;
  std::span<double> end_s_;
  EventQueue transfers_;
  bool disturbed_ = false;
};

}  // namespace tutti
