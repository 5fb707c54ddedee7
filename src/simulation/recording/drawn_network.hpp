// The network of a run as a graph: hosts, switches, and the links between them that were used.
//
// Platforms say which links a route crosses and not what these join. Two links that follow each
// other on a route meet at a node, routes begin and end at hosts, and that is enough: nodes are
// what such meetings have in common. A link that is used both ways (no split duplex) is turned so
// that it fits what is known of its ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/platform_shape.hpp"
#include "schedules/op.hpp"
#include "sim/flow/used_routes.hpp"
#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline simulation {

struct DrawnNode {
  std::string name;         // "host 3", "switch of hosts 0-7", "switch 2 of hosts 0-127"
  std::uint32_t host = 0;   // kNoHost: a switch
  std::uint32_t level = 0;  // links to the nearest host
  std::uint32_t group = 0;  // of a dragonfly; kNoGroup elsewhere

  static constexpr std::uint32_t kNoHost = 0xffffffffU;
  static constexpr std::uint32_t kNoGroup = 0xffffffffU;
};

struct DrawnLink {
  std::uint32_t of_explanation = 0;  // position in Explanation::links
  std::uint32_t from = 0;            // node
  std::uint32_t to = 0;
  // What was on it over the run, in hundredths of what it can carry, by bin of the same length.
  std::vector<std::uint16_t> load_percent;
};

struct DrawnNetwork {
  PlatformShape shape;
  std::vector<std::uint32_t> host_of_rank;
  std::vector<DrawnNode> nodes;
  std::vector<DrawnLink> links;  // in the order of Explanation::links
  // The ways that messages took, by position in `links`; none where there are too many to tell.
  RouteList routes;
  std::uint32_t bins = 0;
};

inline constexpr std::uint32_t kLoadBins = 240;

// Of an explanation that has its routes (Watch::routes, Watch::everything).
[[nodiscard]] DrawnNetwork drawn_network(const Explanation& explanation, PlatformShape shape,
                                         std::size_t most_routes);

}  // namespace tutti::inline simulation
