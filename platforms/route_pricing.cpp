#include "platforms/route_pricing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {

RoutePricing route_pricing(const std::string& network_model) {
  if (network_model == "hockney") {
    return {};
  }
  if (network_model == "lv08") {
    // These values are the defaults of SimGrid 3.32.
    return {.latency_factor = 13.01,
            .bandwidth_factor = 0.97,
            .weight_s_bytes = 20537,
            .window_bytes = 4194304,
            .acknowledgements = true};
  }
  throw UserError(
      fmt::format("the flow engine does not model SimGrid's network model '{}', only hockney and "
                  "lv08; use $engine=simgrid",
                  network_model));
}

RouteFigures route_figures(const RoutePricing& pricing, double latency_s,
                           std::span<const double> bandwidths, std::span<const Hop> hops,
                           std::span<const NetworkLink> links) {
  RouteFigures figures;
  figures.latency_s = latency_s * pricing.latency_factor;
  figures.efficiency = pricing.bandwidth_factor;
  double penalty = latency_s;
  for (const double bandwidth : bandwidths) {
    penalty += pricing.weight_s_bytes / bandwidth;
  }
  figures.weight = figures.latency_s > 0 ? 1 / penalty : 1;
  if (pricing.window_bytes > 0 && latency_s > 0) {
    figures.cap_bytes_per_s = pricing.window_bytes / (2 * latency_s);
  }
  figures.alone_bytes_per_s = figures.cap_bytes_per_s;
  for (const Hop hop : hops) {
    const NetworkLink& link = links[hop.link()];
    const double most = link.capacity_bytes_per_s / hop.consumption(link.fatpipe);
    figures.alone_bytes_per_s = std::min(figures.alone_bytes_per_s, most);
    if (link.fatpipe) {
      figures.cap_bytes_per_s = std::min(figures.cap_bytes_per_s, most);
    }
  }
  return figures;
}

const RouteFigures* FiguresTable::keep(const RouteFigures& figures) {
  const auto [at, is_new] = known_.try_emplace(
      {figures.latency_s, figures.weight, figures.cap_bytes_per_s, figures.alone_bytes_per_s});
  if (is_new) {
    at->second = &figures_.emplace_back(figures);
  }
  return at->second;
}

}}  // namespace tutti::platforms
