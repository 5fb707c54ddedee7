// What a route costs by a network model: the figures that all its messages have in common.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "platforms/network.hpp"

namespace tutti::inline platforms {

// How a network model of SimGrid prices a route. As CM02 has it, apart from the figures; the
// models "smpi" and "ib" do more than that.
struct RoutePricing {
  double latency_factor = 1;
  double bandwidth_factor = 1;
  double weight_s_bytes = 0;      // each link counts like latency: this over its bandwidth
  double window_bytes = 0;        // TCP's: at most half of it per latency; 0: no limit
  bool acknowledgements = false;  // 5 % of each message, on the way back
};

// "hockney" and "lv08". Throws UserError for another.
[[nodiscard]] RoutePricing route_pricing(const std::string& network_model);

// Prices one route: `latency_s` is the sum over its links, `bandwidths` are theirs, one by one in
// the order in which they are crossed; `hops` has each of `links` that it crosses once.
[[nodiscard]] RouteFigures route_figures(const RoutePricing& pricing, double latency_s,
                                         std::span<const double> bandwidths,
                                         std::span<const Hop> hops,
                                         std::span<const NetworkLink> links);

// Few routes have figures of their own: each different set is kept once.
class FiguresTable {
 public:
  [[nodiscard]] const RouteFigures* keep(const RouteFigures& figures);

 private:
  std::deque<RouteFigures> figures_;
  std::map<std::tuple<double, double, double, double>, const RouteFigures*> known_;
};

}  // namespace tutti::inline platforms
