// New rates where little has changed: only links whose level moves are looked at.
//
// A link that a flow has come to or gone from is filled again (link_filling.hpp). If its level
// moves, so may those of links that share flows with it, but only where they are higher than both
// its old level and its new one: a link is never held back by one that is full at a higher level.
// So links are taken lowest level first, and a level below all that wait is final. Of a link that
// is not full it is kept what its flows take, so that those that stay so need not be filled.
//
// (The order of bottlenecks: Ros-Giralt et al., "On the bottleneck structure of congestion-
// controlled networks", SIGMETRICS 2020. Taking changes lowest first: Ramalingam and Reps, "An
// incremental algorithm for a generalization of the shortest-path problem", J. Algorithms 1996.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/flow_table.hpp"
#include "sim/flow/level_changes.hpp"
#include "sim/flow/link_filling.hpp"
#include "sim/flow/link_loads.hpp"

namespace tutti::inline sim {

class RateRepair {
 public:
  RateRepair(FlowPaths& paths, LinkLoads& links, FlowTable& table)
      : paths_(paths), links_(links), table_(table) {}

  // Repairs the links that were touched since the last call. False if that would mean to look at a
  // flow more than `most_visits` times; then levels are what they were, and what links that are not
  // full give is not known.
  bool solve(std::size_t most_visits, LevelChanges& changes);
  // So many flows did the last one look at.
  [[nodiscard]] std::size_t visits() const { return visits_; }

 private:
  // A link whose level may move.
  struct Work {
    std::uint32_t link = 0;
    bool touched = false;  // before the repair
    bool waits = false;    // for its turn
    bool fresh = false;    // filled, and nothing has moved since that it hangs on
    bool was_filled = false;
    double before = 0;  // its level, before the repair
    double filled = 0;  // the level that it was filled to last
    double used_bytes_per_s = 0;
    double key = 0;  // neither its level nor its new one is below this
    // No less than this was its new level, and no less the claims of flows that it would hold back;
    // since then flows have come to take so much more, as long as its level stays.
    double least = 0;
    double open_claims = 0;
    double gained_bytes_per_s = 0;
  };

  // What is known of levels is known but for so much rounding.
  static constexpr double kMargin = 16 * LinkFilling::kRounding;

  bool settle(std::size_t most_visits);
  void fill(Work& work);
  void spread(std::uint32_t link, double before, double level);
  void spread_by_paths(std::uint32_t link, double before, double level);
  void read_by_paths(std::uint32_t link);
  void tell(std::uint32_t index, double more_bytes_per_s, double lowest);
  void enter(std::uint32_t index);
  void put(std::uint32_t position, double key);
  [[nodiscard]] double least_level(const Work& work) const;
  void abandon();

  FlowPaths& paths_;
  LinkLoads& links_;
  FlowTable& table_;
  std::vector<Work> work_;
  std::vector<std::pair<double, std::uint32_t>> order_;  // heap: key, position in work_
  LinkFilling filling_;
  std::size_t visits_ = 0;
};

}  // namespace tutti::inline sim
