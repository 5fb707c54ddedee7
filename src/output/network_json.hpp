// Networks as JSON, for drawings.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <vector>

#include "platforms/network.hpp"
#include "src/simulation/recording/routed_network.hpp"

namespace tutti { inline namespace output {

[[nodiscard]] nlohmann::ordered_json nodes_json(const std::vector<DrawnNode>& nodes);
// Links are named by their places. `routed` was made from `network`.
[[nodiscard]] nlohmann::ordered_json network_json(const RoutedNetwork& routed, Network& network);

}}  // namespace tutti::output
