// Costs of a route under a network model, which are the same for all messages on the route.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "platforms/network.hpp"

namespace tutti { inline namespace platforms {

// Parameters with which one of SimGrid's network models prices a route. The formulas are those of
// CM02. The models "smpi" and "ib" do more than these parameters can express.
struct RoutePricing {
  double latency_factor = 1;
  double bandwidth_factor = 1;
  double weight_s_bytes = 0;  // each link adds weight_s_bytes / bandwidth to 1/weight
  // TCP window: the rate is at most window_bytes / (2 * latency). 0: no limit.
  double window_bytes = 0;
  // True if a message also loads the reverse route, with 5 % of its bandwidth.
  bool acknowledgements = false;
};

// Returns the parameters of "hockney" or "lv08". Throws UserError for any other model.
[[nodiscard]] RoutePricing route_pricing(const std::string& network_model);

// Prices one route. `latency_s` is the sum of the latencies of its links; `bandwidths` lists the
// bandwidths of its links in the order in which the route crosses them; `hops` lists, without
// duplicates, the links that the route crosses, as indices of `links`.
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

}}  // namespace tutti::platforms
