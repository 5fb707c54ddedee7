// Costs of a route under a network model: the figures that all its messages share.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "platforms/network.hpp"

namespace tutti::inline platforms {

// Parameters with which one of SimGrid's network models prices a route. The formulas are those of
// CM02. The models "smpi" and "ib" do more than these parameters can express.
struct RoutePricing {
  double latency_factor = 1;
  double bandwidth_factor = 1;
  double weight_s_bytes = 0;      // each link adds this over its bandwidth to 1/weight
  double window_bytes = 0;        // TCP window; the rate is at most window / (2 * latency); 0: none
  bool acknowledgements = false;  // 5 % of each message on the reverse route
};

// Returns the parameters of "hockney" or "lv08". Throws UserError for any other model.
[[nodiscard]] RoutePricing route_pricing(const std::string& network_model);

// Prices one route. `latency_s` is the sum over its links; `bandwidths` lists their bandwidths in
// the order in which the route crosses them; `hops` has each crossed link of `links` once.
[[nodiscard]] RouteFigures route_figures(const RoutePricing& pricing, double latency_s,
                                         std::span<const double> bandwidths,
                                         std::span<const Hop> hops,
                                         std::span<const NetworkLink> links);

// Stores each distinct set of figures once, since many routes have the same figures.
class FiguresTable {
 public:
  [[nodiscard]] const RouteFigures* keep(const RouteFigures& figures);

 private:
  std::deque<RouteFigures> figures_;
  std::map<std::tuple<double, double, double, double>, const RouteFigures*> known_;
};

}  // namespace tutti::inline platforms
