#include "src/simulation/recording/route_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "platforms/link_place.hpp"

namespace tutti { inline namespace simulation {

namespace {

constexpr std::uint32_t kNobody = 0xffffffffU;

// Gives each switch a name, such as "switch of hosts 0-7". `below` lists the hosts below each node.
// If several switches have the same hosts below them, their names contain a number: "switch 0 of
// hosts 0-7".
void name_switches(std::vector<NetworkNode>& nodes,
                   const std::vector<std::vector<std::uint32_t>>& below) {
  std::map<std::string, std::vector<std::uint32_t>> of_name;
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].host == NetworkNode::kNoHost) {
      of_name[below[node].empty() ? "" : " of " + hosts_in_words(below[node])].push_back(node);
    }
  }
  for (const auto& [of_hosts, some] : of_name) {
    for (std::size_t i = 0; i < some.size(); ++i) {
      nodes[some[i]].name =
          some.size() == 1 ? "switch" + of_hosts : fmt::format("switch {}{}", i, of_hosts);
    }
  }
}

// Sets the level of each node, which is its distance from the nearest host. Names switches after
// the hosts below them. A host is below a switch if a path leads from the host to the switch by
// going up only.
void level_nodes(NodesOfLinks& network, std::uint32_t hosts_per_group) {
  std::vector<std::vector<std::uint32_t>> beside(network.nodes.size());
  for (const auto& [from, to] : network.ends) {
    if (from != to) {
      beside[from].push_back(to);
      beside[to].push_back(from);
    }
  }
  std::vector<std::uint32_t> order;
  std::vector<std::vector<std::uint32_t>> below(network.nodes.size());
  std::vector<bool> seen(network.nodes.size());
  for (std::uint32_t node = 0; node < network.nodes.size(); ++node) {
    if (network.nodes[node].host != NetworkNode::kNoHost) {
      order.push_back(node);
      seen[node] = true;
      below[node] = {network.nodes[node].host};
      network.nodes[node].level = 0;
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const NetworkNode& own = network.nodes[order[i]];
    std::vector<std::uint32_t>& hosts = below[order[i]];
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    for (const std::uint32_t next : beside[order[i]]) {
      NetworkNode& other = network.nodes[next];
      if (!seen[next]) {
        seen[next] = true;
        other.level = own.level + 1;
        order.push_back(next);
      }
      if (other.level == own.level + 1) {
        below[next].insert(below[next].end(), hosts.begin(), hosts.end());
      }
    }
  }
  for (std::uint32_t node = 0; node < network.nodes.size(); ++node) {
    if (!seen[node]) {  // no route connects this node with a host
      network.nodes[node].level = 1;
    }
    if (hosts_per_group != 0 && !below[node].empty()) {
      network.nodes[node].group = below[node].front() / hosts_per_group;
    }
  }
  name_switches(network.nodes, below);
}

}  // namespace

NodesOfLinks nodes_of_known_links(std::uint32_t hosts, const std::vector<LinkEnds>& links) {
  NodesOfLinks found;
  // Data may pass a host that has no rank.
  for (const LinkEnds& link : links) {
    for (const std::uint32_t host : {link.from.host, link.to.host}) {
      hosts = host == NetworkNode::kNoHost ? hosts : std::max(hosts, host + 1);
    }
  }
  for (std::uint32_t host = 0; host < hosts; ++host) {
    found.nodes.push_back({hosts_in_words(host, 1), host, 0, NetworkNode::kNoGroup});
  }
  std::map<std::string, std::uint32_t> switches;
  const auto index_of = [&](const NetworkNode& node) {
    if (node.host != NetworkNode::kNoHost) {
      found.nodes.at(node.host) = node;
      return node.host;
    }
    const auto [at, is_new] =
        switches.emplace(node.name, static_cast<std::uint32_t>(found.nodes.size()));
    if (is_new) {
      found.nodes.push_back(node);
    }
    return at->second;
  };
  for (const LinkEnds& link : links) {
    const std::uint32_t from = index_of(link.from);
    found.ends.push_back({from, index_of(link.to)});
  }
  return found;
}

RouteGraph::RouteGraph(std::uint32_t hosts) : hosts_(hosts), above_(hosts) {
  std::iota(above_.begin(), above_.end(), 0U);
}

void RouteGraph::grow(std::uint32_t links) {
  if (links <= crossed_.size()) {
    return;
  }
  const auto old = static_cast<std::uint32_t>(above_.size());
  above_.resize(hosts_ + 2 * std::size_t{links});
  std::iota(above_.begin() + old, above_.end(), old);
  crossed_.resize(links);
}

std::uint32_t RouteGraph::find(std::uint32_t point) {
  while (above_[point] != point) {
    point = above_[point] = above_[above_[point]];
  }
  return point;
}

void RouteGraph::add_route(std::uint32_t src, std::uint32_t dst,
                           std::span<const std::uint32_t> route) {
  if (!route.empty()) {
    grow(*std::max_element(route.begin(), route.end()) + 1);
  }
  std::uint32_t at = src;
  for (std::size_t i = 0; i < route.size(); ++i) {
    const std::uint32_t link = route[i];
    const bool turned = is_turned(link, at, i + 1 == route.size() ? dst : kNobody);
    join(at, turned ? end_of(link) : start_of(link));
    at = turned ? start_of(link) : end_of(link);
    crossed_[link] = true;
  }
  join(at, dst);
}

// True if `link` was crossed before, and is now crossed in the opposite direction. The route is at
// the point `at` before the link, and at the point `until` after it. `until` is kNobody if that
// point is not known.
bool RouteGraph::is_turned(std::uint32_t link, std::uint32_t at, std::uint32_t until) {
  if (!crossed_[link] || same(at, start_of(link))) {
    return false;
  }
  return same(at, end_of(link)) || (until != kNobody && same(until, start_of(link)));
}

std::optional<std::uint32_t> RouteGraph::host_at(std::uint32_t point) {
  if (hosts_at_.empty()) {
    hosts_at_.resize(above_.size(), hosts_);
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      hosts_at_[find(host)] = host;
    }
  }
  const std::uint32_t host = hosts_at_[find(point)];
  return host == hosts_ ? std::nullopt : std::optional(host);
}

void RouteGraph::add_cable(std::uint32_t link, std::uint32_t opposite) {
  const std::array<std::pair<std::uint32_t, std::uint32_t>, 2> ends{
      std::pair{start_of(link), end_of(opposite)}, std::pair{end_of(link), start_of(opposite)}};
  const bool fits = std::ranges::all_of(ends, [this](const auto& end) {
    const auto [a, b] = end;
    return same(a, b) || !host_at(a) || !host_at(b);
  });
  const bool apart = !same(ends[0].first, ends[1].first) && !same(ends[0].first, ends[1].second) &&
                     !same(ends[0].second, ends[1].first) && !same(ends[0].second, ends[1].second);
  if (!fits || !apart) {
    return;
  }
  for (const auto& [a, b] : ends) {
    const auto host = host_at(a) ? host_at(a) : host_at(b);
    join(a, b);
    hosts_at_[find(a)] = host.value_or(hosts_);
  }
}

NodesOfLinks RouteGraph::nodes_of_links(std::uint32_t links, std::uint32_t hosts_per_group) {
  grow(links);
  NodesOfLinks found;
  std::vector<std::uint32_t> node_of(above_.size(), kNobody);
  for (std::uint32_t host = 0; host < hosts_; ++host) {
    std::uint32_t& node = node_of[find(host)];
    if (node == kNobody) {
      node = static_cast<std::uint32_t>(found.nodes.size());
      found.nodes.push_back({hosts_in_words(host, 1), host, 0, NetworkNode::kNoGroup});
    }
  }
  const auto node_at = [&](std::uint32_t point) {
    std::uint32_t& node = node_of[find(point)];
    if (node == kNobody) {
      node = static_cast<std::uint32_t>(found.nodes.size());
      found.nodes.push_back({"", NetworkNode::kNoHost, kNobody, NetworkNode::kNoGroup});
    }
    return node;
  };
  for (std::uint32_t link = 0; link < links; ++link) {
    const std::uint32_t from = node_at(start_of(link));
    found.ends.push_back({from, node_at(end_of(link))});
  }
  level_nodes(found, hosts_per_group);
  return found;
}

}}  // namespace tutti::simulation
