#include "src/simulation/recording/drawn_network.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace simulation {

namespace {

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
  NodesOfLinks found;
  if (network.shape.link_ends) {
    std::vector<LinkEnds> ends;
    for (const auto& each : explanation.links) {
      ends.push_back(network.shape.link_ends(each.link.statistics.link));
    }
    found = nodes_of_known_links(hosts, ends);
  } else {
    RouteGraph graph(hosts);
    for (const RouteList* const list : {&std::as_const(network.routes), &std::as_const(others)}) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        graph.add_route(list->src_host[i], list->dst_host[i], list->route(i));
      }
    }
    found = graph.nodes_of_links(static_cast<std::uint32_t>(network.links.size()),
                                 network.shape.hosts_per_group);
  }
  network.nodes = std::move(found.nodes);
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    network.links[i].from = found.ends[i].from;
    network.links[i].to = found.ends[i].to;
  }

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

}}  // namespace tutti::simulation
