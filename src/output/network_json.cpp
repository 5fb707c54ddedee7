#include "src/output/network_json.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace tutti { inline namespace output {

using Json = nlohmann::ordered_json;

Json nodes_json(const std::vector<DrawnNode>& nodes) {
  Json json = Json::array();
  for (const DrawnNode& node : nodes) {
    json.push_back({{"name", node.name},
                    {"host", node.host == DrawnNode::kNoHost ? Json(-1) : Json(node.host)},
                    {"level", node.level},
                    {"group", node.group == DrawnNode::kNoGroup ? Json(-1) : Json(node.group)}});
  }
  return json;
}

Json network_json(const RoutedNetwork& routed, Network& network) {
  Json json{{"ranks", routed.host_of_rank.size()},
            {"kind", routed.shape.kind},
            {"dimensions", routed.shape.dimensions},
            {"host_of_rank", routed.host_of_rank},
            {"nodes", nodes_json(routed.nodes.nodes)}};
  json["links"] = Json::array();
  for (std::size_t i = 0; i < routed.links.size(); ++i) {
    const std::uint32_t link = routed.links[i];
    json["links"].push_back({{"name", network.link_place(link).name},
                             {"from", routed.nodes.ends[i].from},
                             {"to", routed.nodes.ends[i].to},
                             {"bytes_per_s", network.links()[link].capacity_bytes_per_s}});
  }
  return json;
}

}}  // namespace tutti::output
