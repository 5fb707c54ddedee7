// Partitions of the hosts into groups whose cuts may limit a collective.
#pragma once

#include <cstdint>
#include <vector>

#include "platforms/cluster_platform.hpp"
#include "platforms/network.hpp"

namespace tutti { inline namespace simulation {

// Returns the partitions of the hosts by leaf switch, by group and by pod. In a fat tree, the hosts
// below each switch are a group.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> groups_of_hosts(
    const ClusterPlatform& cluster);

// Returns partitions that follow from the routes between the hosts in use: by distance, and by
// router. Returns nothing if there are too many routes.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> groups_by_routes(
    Network& network, std::vector<std::uint32_t> hosts);

}}  // namespace tutti::simulation
