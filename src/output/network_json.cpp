#include "src/output/network_json.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>

namespace tutti { inline namespace output {

namespace { namespace network_fields_of {

constexpr auto kNode = fields<NetworkNode>({
    {"name", member<&NetworkNode::name>},
    {"host",
     [](const NetworkNode& node) {
       return node.host == NetworkNode::kNoHost ? -1 : std::int64_t{node.host};
     },
     at_least(-1), "Number of the host. -1 for a switch."},
    {"level", member<&NetworkNode::level>,
     "Number of links between the node and the nearest host."},
    {"group",
     [](const NetworkNode& node) {
       return node.group == NetworkNode::kNoGroup ? -1 : std::int64_t{node.group};
     },
     at_least(-1)},
});

constexpr auto kLink = fields<NamedLink>({
    {"name", member<&NamedLink::name>, "As in the limits of certificates."},
    {"from", [](const NamedLink& link) { return link.ends.from; },
     "Index in `nodes` of the node at which the link begins."},
    {"to", [](const NamedLink& link) { return link.ends.to; }},
    {"bytes_per_s", member<&NamedLink::bytes_per_s>, above(0)},
});

constexpr std::array<std::string_view, 6> kShapes{"star",      "torus", "fat_tree",
                                                  "dragonfly", "gpus",  "generic"};

constexpr auto kNetwork = fields<NamedNetwork>(
    "The hosts of the ranks, and the links and switches of all routes between them.",
    {
        {"ranks", [](const NamedNetwork& each) { return each.routed.host_of_rank.size(); },
         at_least(1), "Number of ranks of the bounds for which this is the network."},
        {"kind", [](const NamedNetwork& each) { return each.routed.shape.kind; }, one_of(kShapes)},
        {"dimensions",
         [](const NamedNetwork& each) -> const auto& { return each.routed.shape.dimensions; },
         at_least(1), "Sides of a torus; empty for other networks."},
        {"host_of_rank",
         [](const NamedNetwork& each) -> const auto& { return each.routed.host_of_rank; }},
        {"nodes", kNode,
         [](const NamedNetwork& each) -> const auto& { return each.routed.nodes.nodes; }},
        {"links", kLink, member<&NamedNetwork::links>},
    });

}}  // namespace ::network_fields_of

nlohmann::ordered_json nodes_json(const std::vector<NetworkNode>& nodes) {
  nlohmann::ordered_json json;
  put_objects(json, network_fields_of::kNode, nodes);
  return json;
}

FieldView network_fields() { return network_fields_of::kNetwork.view(); }

NamedNetwork named_network(RoutedNetwork routed, Network& network) {
  NamedNetwork drawn{std::move(routed), {}};
  for (std::size_t i = 0; i < drawn.routed.links.size(); ++i) {
    const std::uint32_t link = drawn.routed.links[i];
    drawn.links.push_back({network.link_place(link).name, drawn.routed.nodes.ends[i],
                           network.links()[link].capacity_bytes_per_s});
  }
  return drawn;
}

}}  // namespace tutti::output
