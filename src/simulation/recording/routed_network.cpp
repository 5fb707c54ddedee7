#include "src/simulation/recording/routed_network.hpp"

#include <set>
#include <utility>

namespace tutti::inline simulation {

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
  found.nodes = graph.nodes_of_links(static_cast<std::uint32_t>(found.links.size()),
                                     found.shape.hosts_per_group);
  return found;
}

}  // namespace tutti::inline simulation
