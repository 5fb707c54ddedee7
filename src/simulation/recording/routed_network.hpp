// The network between the hosts of a machine's ranks, for drawings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "platforms/network.hpp"
#include "platforms/platform_shape.hpp"
#include "src/simulation/recording/route_graph.hpp"

namespace tutti { inline namespace simulation {

struct RoutedNetwork {
  PlatformShape shape;
  std::vector<std::uint32_t> host_of_rank;
  NodesOfLinks nodes;
  std::vector<std::uint32_t> links;  // numbers in the Network, in the order of NodesOfLinks::ends
};

// Returns the nodes and links of the routes between all hosts in `host_of_rank`, which are numbered
// as in `network`. Returns nothing if there are more than `most_hosts` of these hosts.
[[nodiscard]] std::optional<RoutedNetwork> routed_network(Network& network, PlatformShape shape,
                                                          std::vector<std::uint32_t> host_of_rank,
                                                          std::size_t most_hosts);

}}  // namespace tutti::simulation
