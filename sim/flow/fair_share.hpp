// When flows start or end, recomputes the rates of all flows that share a link with them, directly
// or through other flows.
//
// The rates of all flows rise together, in proportion to their weights, until a link is full. The
// flows on that link then have their final rates, and the rates of the others keep rising. The
// level of a link is the common rate per weight at which it becomes full, so links fill up in the
// order of their levels. The bound of a flow is the level of the link that holds it back, or the
// flow's own level; the flows of a link get their rates in the order of their bounds. The levels
// equal those of link_filling.hpp to the last bit.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow/exact_sum.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/level_changes.hpp"
#include "sim/flow/link_filling.hpp"
#include "sim/flow/link_loads.hpp"

namespace tutti { inline namespace sim {

class FairShare {
 public:
  FairShare(FlowPaths& paths, LinkLoads& links, std::span<std::uint32_t> notes)
      : paths_(paths), links_(links), notes_(notes) {}

  // Computes the rates of the flows on links that were touched since the last call, and of all
  // flows connected to them.
  void solve(LevelChanges& changes);

 private:
  // State of a link while the rates of its component are computed. A component consists of links
  // and flows that are connected with each other.
  struct Share {
    ExactClaim claims = 0;  // claims of flows without a rate
    std::int64_t rest = kWhole;
    double capacity_bytes_per_s = 0;
    double bound = 0;         // bound of the flow whose rate was fixed last
    double level = kNotFull;  // level at which the link is full
    std::uint32_t link = 0;
    std::uint32_t flows = 0;  // flows without a rate
  };

  void collect(std::uint32_t link);
  Share& enter(std::uint32_t link, const NetworkLink& info);
  void share();
  [[nodiscard]] bool share_evenly();
  [[nodiscard]] double next_full();
  [[nodiscard]] bool stop_capped(std::uint32_t position, double level);
  void fix(OpId id, const FlowPath& path, double bound);
  [[nodiscard]] static double level_of(const Share& share);
  [[nodiscard]] static double key_of(const Share& share);
  void dissolve(LevelChanges& changes);

  // Calls visit(id, path) for each flow of the link that has no rate yet.
  template <typename Visit>
  void for_each_open(std::uint32_t link, Visit&& visit) {
    links_.flows(link).for_each([&](OpId id) {
      if ((notes_[id] & kFlowOpen) != 0) {
        visit(id, paths_.of(id));
      }
    });
  }

  FlowPaths& paths_;
  LinkLoads& links_;
  std::span<std::uint32_t> notes_;
  std::vector<Share> shares_;          // links of the component
  std::vector<std::uint32_t> unread_;  // links of the component whose flows have not been read yet
  double least_own_level_ = 0;         // least FlowPath::own_level() of the component's flows
  std::size_t open_ = 0;               // flows without a rate
  std::vector<std::pair<double, std::uint32_t>> order_;  // heap: key, position in shares_
  std::vector<std::uint32_t> full_;   // links that become full at the current level
  std::vector<std::uint32_t> later_;  // links that become full at higher levels
  std::vector<std::pair<double, OpId>> capped_;
};

}}  // namespace tutti::sim
