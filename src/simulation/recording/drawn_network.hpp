// The network of a run as a graph: hosts, switches, and the links between them that were used.
#pragma once

#include <cstdint>
#include <vector>

#include "platforms/platform_shape.hpp"
#include "schedules/op.hpp"
#include "sim/flow/used_routes.hpp"
#include "src/simulation/explain/explanation.hpp"
#include "src/simulation/recording/route_graph.hpp"

namespace tutti { inline namespace simulation {

struct DrawnLink {
  std::uint32_t of_explanation = 0;  // position in Explanation::links
  std::uint32_t from = 0;            // index in DrawnNetwork::nodes, as is `to`
  std::uint32_t to = 0;
  // Load of the link in each bin, in percent of its capacity. Bins divide the run into intervals of
  // equal length.
  std::vector<std::uint16_t> load_percent;
};

struct DrawnNetwork {
  PlatformShape shape;
  std::vector<std::uint32_t> host_of_rank;
  std::vector<NetworkNode> nodes;
  std::vector<DrawnLink> links;  // in the order of Explanation::links
  // Routes of messages, as positions in `links`; empty if there are too many.
  RouteList routes;
  std::uint32_t bins = 0;
};

inline constexpr std::uint32_t kLoadBins = 240;

// Returns the network of an explanation that includes routes (Watch::routes, Watch::everything).
// The result has no routes if there are more than `most_routes`.
[[nodiscard]] DrawnNetwork drawn_network(const Explanation& explanation, PlatformShape shape,
                                         std::size_t most_routes);

}}  // namespace tutti::simulation
