// Repairs rates after a few flows have changed. Visits only links whose level may change.
//
// If a flow has come to a link or left it, the link is filled again (link_filling.hpp). If the
// link's level changes, the levels of links that share flows with it may change, too. A link does
// not depend on links that are full at higher levels, so only levels that are higher than the lower
// one of the changed link's old and new levels are affected. Links are therefore taken in the order
// of their levels, and a level below those of all waiting links is final. For a link that is not
// full, the bandwidth of its flows is stored, so that the link need not be filled as long as the
// bandwidth is below its capacity.
//
// (On the order of bottlenecks, see Ros-Giralt et al., "On the bottleneck structure of
// congestion-controlled networks", SIGMETRICS 2020. On handling the lowest change first, see
// Ramalingam and Reps, "An incremental algorithm for a generalization of the shortest-path
// problem", J. Algorithms 1996.)
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

namespace tutti { inline namespace sim {

class RateRepair {
 public:
  RateRepair(FlowPaths& paths, LinkLoads& links, FlowTable& table)
      : paths_(paths), links_(links), table_(table) {}

  // Repairs the links that were touched since the last call. Returns false if the repair would need
  // more than `most_visits` visits to flows. In that case, all levels are unchanged, and the stored
  // bandwidths of links that are not full are invalid.
  bool solve(std::size_t most_visits, LevelChanges& changes);
  // Number of visits to flows in the last repair.
  [[nodiscard]] std::size_t visits() const { return visits_; }

 private:
  // A link whose level may change.
  struct Work {
    std::uint32_t link = 0;
    bool touched = false;  // true if a flow came or left before the repair
    bool waits = false;    // true if the link waits for its turn
    // True if the link was filled, and no level on which its level depends has changed since.
    bool fresh = false;
    bool was_filled = false;
    double before = 0;  // level before the repair
    double filled = 0;  // level from the last filling
    double used_bytes_per_s = 0;
    double key = 0;  // lower bound on both the old and the new level
    // Data for least_level(), computed at some point of the repair. `least` is a lower bound on the
    // new level. `open_claims` is a lower bound on the claims of the flows that the link would hold
    // back. `gained_bytes_per_s` is the bandwidth that flows have gained since that point, at an
    // unchanged level.
    double least = 0;
    double open_claims = 0;
    double gained_bytes_per_s = 0;
  };

  // Rounding error of stored bandwidths and levels, as a share of the capacity.
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

}}  // namespace tutti::sim
