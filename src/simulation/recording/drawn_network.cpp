#include "src/simulation/recording/drawn_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "platforms/link_place.hpp"

namespace tutti::inline simulation {

namespace {

// Union-find over hosts and the ends of links. Merges hosts and ends that belong to the same node.
class Meetings {
 public:
  explicit Meetings(std::size_t points) : above_(points) {
    std::iota(above_.begin(), above_.end(), 0U);
  }

  std::uint32_t find(std::uint32_t point) {
    while (above_[point] != point) {
      point = above_[point] = above_[above_[point]];
    }
    return point;
  }
  bool same(std::uint32_t a, std::uint32_t b) { return find(a) == find(b); }
  void join(std::uint32_t a, std::uint32_t b) { above_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> above_;
};

// Derives nodes from routes. A point is an end of a link, or a host. Each link has two consecutive
// points, from 2 * link on; the points of the hosts follow those of the last link.
class Graph {
 public:
  Graph(DrawnNetwork& network, std::uint32_t links, std::uint32_t hosts)
      : network_(network),
        links_(links),
        hosts_(hosts),
        points_(std::size_t{2} * links + hosts),
        crossed_(links) {}

  // Adds the route from host `src` to host `dst`, which crosses the links of `route` in this order.
  void add_route(std::uint32_t src, std::uint32_t dst, std::span<const std::uint32_t> route) {
    std::uint32_t at = host_point(src);
    for (std::size_t i = 0; i < route.size(); ++i) {
      const std::uint32_t link = route[i];
      const bool turned = is_turned(link, at, i + 1 == route.size() ? host_point(dst) : kNobody);
      points_.join(at, 2 * link + (turned ? 1 : 0));
      at = 2 * link + (turned ? 0 : 1);
      crossed_[link] = true;
    }
    points_.join(at, host_point(dst));
  }

  // Numbers the nodes: first the hosts, then the switches.
  void finish() {
    std::vector<std::uint32_t> node_of(points_count(), kNobody);
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      std::uint32_t& node = node_of[points_.find(host_point(host))];
      if (node == kNobody) {
        node = static_cast<std::uint32_t>(network_.nodes.size());
        network_.nodes.push_back({hosts_in_words(host, 1), host, 0, DrawnNode::kNoGroup});
      }
    }
    const auto at = [&](std::uint32_t point) {
      std::uint32_t& node = node_of[points_.find(point)];
      if (node == kNobody) {
        node = static_cast<std::uint32_t>(network_.nodes.size());
        network_.nodes.push_back({"", DrawnNode::kNoHost, kNobody, DrawnNode::kNoGroup});
      }
      return node;
    };
    for (DrawnLink& link : network_.links) {
      // In this class, the number of a link is its position in Explanation::links.
      const std::uint32_t number = link.of_explanation;
      link.from = at(2 * number);
      link.to = at(2 * number + 1);
    }
  }

 private:
  static constexpr std::uint32_t kNobody = 0xffffffffU;

  [[nodiscard]] std::size_t points_count() const { return std::size_t{2} * links_ + hosts_; }
  [[nodiscard]] std::uint32_t host_point(std::uint32_t host) const { return 2 * links_ + host; }

  // True if `link` was crossed before, and is now crossed in the opposite direction. The route is
  // at the point `at` before the link, and at the point `until` after it. `until` is kNobody if
  // that point is not known.
  [[nodiscard]] bool is_turned(std::uint32_t link, std::uint32_t at, std::uint32_t until) {
    if (!crossed_[link] || points_.same(at, 2 * link)) {
      return false;
    }
    return points_.same(at, 2 * link + 1) || (until != kNobody && points_.same(until, 2 * link));
  }

  DrawnNetwork& network_;
  std::uint32_t links_;
  std::uint32_t hosts_;
  Meetings points_;
  std::vector<bool> crossed_;
};

// Gives each switch a name, such as "switch of hosts 0-7". `below` lists the hosts below each node.
// If several switches have the same hosts below them, their names contain a number: "switch 0 of
// hosts 0-7".
void name_switches(std::vector<DrawnNode>& nodes,
                   const std::vector<std::vector<std::uint32_t>>& below) {
  std::map<std::string, std::vector<std::uint32_t>> of_name;
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].host == DrawnNode::kNoHost) {
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
void level_nodes(DrawnNetwork& network) {
  std::vector<std::vector<std::uint32_t>> beside(network.nodes.size());
  for (const DrawnLink& link : network.links) {
    if (link.from != link.to) {
      beside[link.from].push_back(link.to);
      beside[link.to].push_back(link.from);
    }
  }
  std::vector<std::uint32_t> order;
  std::vector<std::vector<std::uint32_t>> below(network.nodes.size());
  std::vector<bool> seen(network.nodes.size());
  for (std::uint32_t node = 0; node < network.nodes.size(); ++node) {
    if (network.nodes[node].host != DrawnNode::kNoHost) {
      order.push_back(node);
      seen[node] = true;
      below[node] = {network.nodes[node].host};
      network.nodes[node].level = 0;
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const DrawnNode& own = network.nodes[order[i]];
    std::vector<std::uint32_t>& hosts = below[order[i]];
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    for (const std::uint32_t next : beside[order[i]]) {
      DrawnNode& other = network.nodes[next];
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
    const std::uint32_t size = network.shape.hosts_per_group;
    if (size != 0 && !below[node].empty()) {
      network.nodes[node].group = below[node].front() / size;
    }
  }
  name_switches(network.nodes, below);
}

// Bytes that each link has carried in each bin. Bins divide the run into equal intervals of time.
class Loads {
 public:
  Loads(const DrawnNetwork& network, double total_s)
      : bins_(network.bins),
        bin_s_(total_s / network.bins),
        bytes_(network.links.size() * network.bins) {}

  void add(std::span<const std::uint32_t> route, double from_s, double until_s, double bytes) {
    const double length_s = until_s - from_s;
    const auto first = bin_of(from_s);
    const auto last = bin_of(until_s);
    for (std::uint32_t bin = first; bin <= last; ++bin) {
      const double begin_s = std::max(from_s, bin * bin_s_);
      const double end_s = bin == last ? until_s : std::min(until_s, (bin + 1) * bin_s_);
      const double share = length_s > 0 ? std::max(0.0, end_s - begin_s) / length_s : 1;
      for (const std::uint32_t link : route) {
        bytes_[std::size_t{link} * bins_ + bin] += share * bytes;
      }
    }
  }

  [[nodiscard]] double share(std::uint32_t link, std::uint32_t bin, double capacity) const {
    return bytes_[std::size_t{link} * bins_ + bin] / (capacity * bin_s_);
  }

 private:
  [[nodiscard]] std::uint32_t bin_of(double at_s) const {
    return static_cast<std::uint32_t>(std::clamp(at_s / bin_s_, 0.0, bins_ - 1.0));
  }

  std::uint32_t bins_;
  double bin_s_;
  std::vector<double> bytes_;
};

// Returns the route between two hosts, by binary search, because routes are sorted by their hosts.
std::span<const std::uint32_t> route_between(const RouteList& routes, std::uint32_t src,
                                             std::uint32_t dst) {
  std::size_t low = 0;
  std::size_t high = routes.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const bool before = routes.src_host[middle] < src ||
                        (routes.src_host[middle] == src && routes.dst_host[middle] < dst);
    (before ? low : high) = before ? middle + 1 : middle;
  }
  TUTTI_INVARIANT(low < routes.size() && routes.src_host[low] == src &&
                  routes.dst_host[low] == dst);
  return routes.route(low);
}

// Fills DrawnLink::load_percent. If all operations were watched (Watch::everything), the load uses
// the mean rate of a message in each FlowStretch; otherwise, its mean rate over its whole duration.
// `network` must include the routes.
void fill_loads(DrawnNetwork& network, const Explanation& explanation) {
  const Schedule& schedule = *explanation.run.schedule;
  const Timeline& timeline = explanation.run.timeline;
  if (timeline.total_s <= 0) {
    return;
  }
  const auto route_of = [&](const Op& op) {
    return route_between(network.routes, network.host_of_rank[op.src()],
                         network.host_of_rank[op.dst()]);
  };
  Loads loads(network, timeline.total_s);
  if (explanation.stretches.empty()) {
    for (OpId id = 0; id < schedule.size(); ++id) {
      const Op& op = schedule.op(id);
      if (op.is_comm() && op.bytes() > 0) {
        loads.add(route_of(op), timeline.start_s[id], timeline.end_s[id],
                  static_cast<double>(op.bytes()));
      }
    }
  } else {
    std::vector<double> moving_s(schedule.size());
    for (const FlowStretch& stretch : explanation.stretches) {
      moving_s[stretch.id] += stretch.moving_s;
    }
    for (const FlowStretch& stretch : explanation.stretches) {
      const Op& op = schedule.op(stretch.id);
      if (op.is_comm() && op.bytes() > 0 && moving_s[stretch.id] > 0) {
        loads.add(route_of(op), stretch.from_s, stretch.until_s,
                  static_cast<double>(op.bytes()) * stretch.moving_s / moving_s[stretch.id]);
      }
    }
  }
  for (DrawnLink& link : network.links) {
    const double capacity =
        explanation.links[link.of_explanation].link.statistics.capacity_bytes_per_s;
    link.load_percent.resize(network.bins);
    for (std::uint32_t bin = 0; bin < network.bins; ++bin) {
      constexpr double kMost = 999;  // a link that is not shared (fatpipe) may exceed its capacity
      link.load_percent[bin] = static_cast<std::uint16_t>(
          std::lround(std::min(kMost, 100 * loads.share(link.of_explanation, bin, capacity))));
    }
  }
}

}  // namespace

DrawnNetwork drawn_network(const Explanation& explanation, PlatformShape shape,
                           std::size_t most_routes) {
  DrawnNetwork network;
  network.shape = std::move(shape);
  network.routes = explanation.routes.used;
  network.host_of_rank = explanation.routes.host_of_rank;

  // Links are numbered by their position in the explanation; unused links come after the used ones.
  std::vector<std::uint32_t> position;
  const auto known_as = [&position](std::uint32_t number) -> std::uint32_t& {
    if (number >= position.size()) {
      position.resize(std::size_t{number} + 1, kNoLink);
    }
    return position[number];
  };
  for (std::uint32_t i = 0; i < explanation.links.size(); ++i) {
    known_as(explanation.links[i].link.statistics.link) = i;
    network.links.push_back({i, 0, 0, {}});
  }
  auto links = static_cast<std::uint32_t>(network.links.size());
  RouteList others = explanation.routes.others;
  for (RouteList* const list : {&network.routes, &others}) {
    for (std::uint32_t& link : list->links) {
      std::uint32_t& known = known_as(link);
      if (known == kNoLink) {
        known = links++;
      }
      link = known;
    }
  }

  std::uint32_t hosts = 0;
  for (const std::uint32_t host : network.host_of_rank) {
    hosts = std::max(hosts, host + 1);
  }
  Graph graph(network, links, hosts);
  for (const RouteList* const list : {&std::as_const(network.routes), &std::as_const(others)}) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      graph.add_route(list->src_host[i], list->dst_host[i], list->route(i));
    }
  }
  graph.finish();
  level_nodes(network);

  // With this limit, a page with a thousand hosts and 20,000 operations stays below 5 MB.
  constexpr std::uint32_t kMostLoads = 250'000;
  constexpr std::uint32_t kFewestBins = 24;
  network.bins =
      std::clamp(kMostLoads / std::max(1U, static_cast<std::uint32_t>(network.links.size())),
                 kFewestBins, kLoadBins);
  fill_loads(network, explanation);
  if (network.routes.size() > most_routes) {
    network.routes = {};
  }
  return network;
}

}  // namespace tutti::inline simulation
