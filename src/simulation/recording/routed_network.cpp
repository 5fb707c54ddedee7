#include "src/simulation/recording/routed_network.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tutti { inline namespace simulation {

namespace {

// Adds the cables whose two directions are both in `links`. The names of a cable's links differ
// only in their ends, _UP and _DOWN.
void add_cables(const Network& network, const std::vector<std::uint32_t>& links,
                RouteGraph& graph) {
  constexpr std::string_view kUp = "_UP";
  constexpr std::string_view kDown = "_DOWN";
  std::map<std::string, std::uint32_t> up_links;
  std::map<std::string, std::uint32_t> down_links;
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const std::string name = network.link_name(links[i]);
    for (const auto& [end, of_name] : {std::pair{kUp, &up_links}, std::pair{kDown, &down_links}}) {
      if (name.ends_with(end)) {
        of_name->emplace(name.substr(0, name.size() - end.size()), i);
      }
    }
  }
  for (const auto& [cable, up] : up_links) {
    if (const auto down = down_links.find(cable); down != down_links.end()) {
      graph.add_cable(up, down->second);
    }
  }
}

}  // namespace

std::optional<RoutedNetwork> routed_network(Network& network, PlatformShape shape,
                                            std::vector<std::uint32_t> host_of_rank,
                                            std::size_t most_hosts) {
  constexpr std::uint32_t kUnknown = 0xffffffffU;
  RoutedNetwork found{std::move(shape), std::move(host_of_rank), {}, {}};
  const std::set<std::uint32_t> hosts(found.host_of_rank.begin(), found.host_of_rank.end());
  if (hosts.size() > most_hosts) {
    return std::nullopt;
  }
  RouteGraph graph(hosts.empty() ? 0 : *hosts.rbegin() + 1);
  std::vector<std::uint32_t> position;  // by the link's number in the network
  std::vector<std::uint32_t> route;
  for (const std::uint32_t from : hosts) {
    for (const std::uint32_t to : hosts) {
      if (from == to) {
        continue;
      }
      const NetworkRoute crossed = network.route(from, to);
      position.resize(network.links().size(), kUnknown);
      route.clear();
      for (const Hop hop : crossed.hops) {
        if (hop.forward() == 0) {
          continue;  // only acknowledgements use the link
        }
        std::uint32_t& at = position[hop.link()];
        if (at == kUnknown) {
          at = static_cast<std::uint32_t>(found.links.size());
          found.links.push_back(hop.link());
        }
        route.push_back(at);
      }
      graph.add_route(from, to, route);
    }
  }
  if (found.shape.link_ends) {
    std::vector<LinkEnds> ends;
    for (const std::uint32_t link : found.links) {
      ends.push_back(found.shape.link_ends(link));
    }
    found.nodes = nodes_of_known_links(hosts.empty() ? 0 : *hosts.rbegin() + 1, ends);
    return found;
  }
  add_cables(network, found.links, graph);
  found.nodes = graph.nodes_of_links(static_cast<std::uint32_t>(found.links.size()),
                                     found.shape.hosts_per_group);
  return found;
}

}}  // namespace tutti::simulation
