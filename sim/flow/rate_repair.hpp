// New rates where little has changed: only links whose level moves are looked at.
//
// Max-min fair rates follow from the levels of links: a flow gets its weight times the least level
// on its way, or its cap if that is less. And the level of a link follows from those of the other
// links on its flows' ways: it is the one at which this link alone is full. So a link that a flow
// has come to or gone from is filled again; if its level moves, so may those of links that share
// flows with it, but only where they are higher than both its old level and its new one: a link is
// never held back by one that is fuller at a higher level. So links are taken lowest level first,
// and a level below all that wait is final.
//
// (The order of bottlenecks: Ros-Giralt et al., "On the bottleneck structure of congestion-
// controlled networks", SIGMETRICS 2020. Taking changes lowest first: Ramalingam and Reps, "An
// incremental algorithm for a generalization of the shortest-path problem", J. Algorithms 1996.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/flow_rates.hpp"
#include "sim/flow/link_loads.hpp"

namespace tutti {

class RateRepair {
 public:
  RateRepair(FlowPaths& paths, LinkLoads& links, FlowRates& rates, std::span<std::uint32_t> notes)
      : paths_(paths), links_(links), rates_(rates), notes_(notes) {}

  // Of the links that were touched since the last call, for what has come (`arrivals`) and gone.
  // False, with nothing changed, if that would mean to look at a flow more than `most_visits`
  // times.
  bool solve(double now_s, std::span<const OpId> arrivals, std::size_t most_visits);

 private:
  // A link whose level may move.
  struct Work {
    std::uint32_t link = 0;
    bool touched = false;  // before the repair
    bool waits = false;    // to be filled
    bool moved = false;
    double level = 0;
    double key = 0;  // its new level is not below this
  };
  // What a flow takes of the link that is being filled.
  struct Part {
    double bound = 0;  // the level at which something else holds it back
    double claim = 0;  // per level
    OpId id = 0;
  };

  bool settle(std::size_t most_visits);
  [[nodiscard]] double fill(std::uint32_t link);
  void spread(std::uint32_t link, double before, double level);
  void wake(std::uint32_t link, double key);
  [[nodiscard]] double level_of(const LinkLoads::Link& link) const {
    return link.in_component() ? work_[link.position].level : link.level;
  }
  void commit(double now_s, std::span<const OpId> arrivals);
  void assign(double now_s, OpId id);
  void abandon();

  FlowPaths& paths_;
  LinkLoads& links_;
  FlowRates& rates_;
  std::span<std::uint32_t> notes_;
  std::vector<Work> work_;
  std::vector<std::pair<double, std::uint32_t>> order_;  // heap: key, position in work_
  std::vector<Part> parts_;                              // of the link that was filled last
  std::size_t visits_ = 0;
};

}  // namespace tutti
