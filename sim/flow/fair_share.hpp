// New rates for all that flows which came and went touch, directly or through others, solved anew:
// max-min fair, in proportion to weights.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/flow_rates.hpp"
#include "sim/flow/link_loads.hpp"

namespace tutti {

class FairShare {
 public:
  FairShare(FlowPaths& paths, LinkLoads& links, FlowRates& rates, std::span<std::uint32_t> notes)
      : paths_(paths), links_(links), rates_(rates), notes_(notes) {}

  // Of the flows on links that were touched since the last call.
  void solve(double now_s);

  // A flow that meets no other.
  [[nodiscard]] bool is_alone(const FlowPath& path) const;

 private:
  // A link while its component is solved.
  struct Share {
    double remaining = 0;  // capacity that is not given away
    double usage = 0;      // weights, times consumption, of flows without a rate
    double summed = 0;     // the usage when it was last added up
    double level = 0;      // at which it was full
    std::uint32_t link = 0;
    std::uint32_t flows = 0;  // without a rate
    bool full = false;
  };

  void collect(std::uint32_t link);
  Share& enter(std::uint32_t link, const NetworkLink& info);
  void share();
  [[nodiscard]] bool share_evenly();
  void fill(std::uint32_t position, double level);
  [[nodiscard]] bool stop_capped(std::uint32_t position, double level);
  void fix(OpId id, const FlowPath& path, double bytes_per_s, std::uint32_t narrowest);
  [[nodiscard]] double level_of(Share& share);
  void add_up(Share& share);
  void put_back(double level, std::uint32_t position);
  void dissolve();

  // Calls visit(id, path) for each flow of the link that has no rate yet.
  template <typename Visit>
  void for_each_open(std::uint32_t link, Visit&& visit) {
    links_[link].list.for_each([&](OpId id) {
      if ((notes_[id] & kFlowOpen) != 0) {
        visit(id, paths_.of(id));
      }
    });
  }

  FlowPaths& paths_;
  LinkLoads& links_;
  FlowRates& rates_;
  std::span<std::uint32_t> notes_;
  double now_s_ = 0;
  std::vector<Share> shares_;          // of the component's links
  std::vector<std::uint32_t> unread_;  // links of the component whose flows were not looked at yet
  bool any_capped_ = false;  // a flow of the component has a speed of its own that it never exceeds
  std::vector<std::pair<double, std::uint32_t>> order_;  // heap: level, position in shares_
};

}  // namespace tutti
