// Networks as JSON, for drawings.
#pragma once

#include <string>
#include <vector>

#include "platforms/network.hpp"
#include "src/formats/fields.hpp"
#include "src/simulation/recording/routed_network.hpp"

namespace tutti { inline namespace output {

struct NamedLink {
  std::string name;  // of its place
  NodesOfLinks::Ends ends;
  double bytes_per_s = 0;
};
struct NamedNetwork {
  RoutedNetwork routed;
  std::vector<NamedLink> links;
};

// `routed` was made from `network`.
[[nodiscard]] NamedNetwork named_network(RoutedNetwork routed, Network& network);

// The node as JSON.
[[nodiscard]] nlohmann::ordered_json nodes_json(const std::vector<NetworkNode>& nodes);
[[nodiscard]] FieldView network_fields();
inline constexpr FieldsOf<NamedNetwork> kNetworkFields{network_fields};

}}  // namespace tutti::output
