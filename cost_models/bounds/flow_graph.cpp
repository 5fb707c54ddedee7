#include "cost_models/bounds/flow_graph.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tutti { inline namespace cost_models {

namespace {

constexpr double kUnlimitedRate = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNoHostOrLink = 0xffffffffU;

// Sets of link ends that are at the same junction.
class Junctions {
 public:
  // The end of a link has the number 2 * link, its start 2 * link + 1.
  [[nodiscard]] static std::uint32_t end_of(std::uint32_t link) { return 2 * link; }
  [[nodiscard]] static std::uint32_t start_of(std::uint32_t link) { return 2 * link + 1; }

  void grow(std::uint32_t links) {
    const auto old = static_cast<std::uint32_t>(parent_.size());
    if (2 * links > old) {
      parent_.resize(2 * std::size_t{links});
      std::iota(parent_.begin() + old, parent_.end(), old);
    }
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t end) {
    while (parent_[end] != end) {
      parent_[end] = parent_[parent_[end]];
      end = parent_[end];
    }
    return end;
  }
  void join(std::uint32_t one, std::uint32_t other) { parent_[find(one)] = find(other); }

 private:
  std::vector<std::uint32_t> parent_;
};

// The links on which routes from and to hosts begin and end, and how links follow each other.
struct RouteShape {
  Junctions junctions;
  std::vector<bool> follows;   // by link: some route has a link before it
  std::vector<bool> precedes;  // by link: some route has a link after it
  std::vector<bool> used;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> first_links;  // host index, link
  std::vector<std::pair<std::uint32_t, std::uint32_t>> last_links;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> without_links;  // two host indices
  std::vector<std::uint32_t> last_source;  // by link: the last host whose routes begin with it
  std::vector<std::uint32_t> only_target;  // by link: the first host found where a route ends

  void add(std::uint32_t from, std::uint32_t to, std::span<const Hop> hops, std::size_t links) {
    if (used.size() < links) {
      junctions.grow(static_cast<std::uint32_t>(links));
      follows.resize(links);
      precedes.resize(links);
      used.resize(links);
      last_source.resize(links, kNoHostOrLink);
      only_target.resize(links, kNoHostOrLink);
    }
    std::uint32_t before = kNoHostOrLink;
    for (const Hop hop : hops) {
      const std::uint32_t link = hop.link();
      if (hop.forward() == 0) {
        continue;  // only acknowledgements use the link
      }
      used[link] = true;
      if (before == kNoHostOrLink) {
        if (last_source[link] != from) {
          last_source[link] = from;
          first_links.emplace_back(from, link);
        }
      } else {
        precedes[before] = true;
        follows[link] = true;
        junctions.join(Junctions::end_of(before), Junctions::start_of(link));
      }
      before = link;
    }
    if (before == kNoHostOrLink) {
      without_links.emplace_back(from, to);
    } else if (only_target[before] != to) {
      if (only_target[before] == kNoHostOrLink) {
        only_target[before] = to;
      }
      last_links.emplace_back(to, before);
    }
  }
};

void sort_pairs_once(std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Calls add(from, to) for routes that tell the shape of all. The first links of the hosts of a kind
// end at the same junction, and lead to all other hosts from there. Therefore the routes of the
// first of them suffice, with a route to the first from each of the others, on which its first link
// is. The routes of the first and of the second host to a third host meet after their first links,
// so they tell that the junction is the same.
template <typename Add>
void for_routes_of_kinds(const HostsInUse& hosts, const Add& add) {
  std::vector<std::vector<std::uint32_t>> members(hosts.kinds().size());
  for (std::uint32_t host = 0; host < hosts.size(); ++host) {
    members[hosts.kind(host)].push_back(host);
  }
  for (const std::vector<std::uint32_t>& alike : members) {
    for (std::uint32_t to = 0; to < hosts.size(); ++to) {
      if (to != alike[0]) {
        add(alike[0], to);
      }
    }
    for (std::size_t i = 1; i < alike.size(); ++i) {
      add(alike[i], alike[0]);
    }
    if (alike.size() > 1 && hosts.size() > 2) {
      std::uint32_t third = 0;
      while (third == alike[0] || third == alike[1]) {
        ++third;
      }
      add(alike[1], third);
    }
  }
}

// Returns the shape of the routes between all hosts.
RouteShape shape_of_routes(Network& network, const HostsInUse& hosts) {
  RouteShape shape;
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    const NetworkRoute route = network.route(hosts.number(from), hosts.number(to));
    shape.add(from, to, route.hops, network.links().size());
  };
  if (!hosts.has_groups()) {
    for_routes_of_kinds(hosts, add);
  }
  for (std::uint32_t host = 0; hosts.has_groups() && host < hosts.size(); ++host) {
    hosts.nested().for_each_partner(host, [&](std::uint32_t other) {
      add(host, other);
      add(other, host);
    });
  }
  sort_pairs_once(shape.first_links);
  sort_pairs_once(shape.last_links);
  sort_pairs_once(shape.without_links);
  return shape;
}

}  // namespace

FlowGraph::FlowGraph(Network& network, const HostsInUse& hosts)
    : hosts_(&hosts), vertices_(hosts.size()) {
  RouteShape shape = shape_of_routes(network, hosts);
  const std::vector<NetworkLink>& links = network.links();
  std::vector<std::uint32_t> start_of(links.size(), kNoHostOrLink);
  std::map<std::uint32_t, std::uint32_t> junction_of;
  const auto junction = [&](std::uint32_t end) {
    const auto [at, is_new] = junction_of.try_emplace(shape.junctions.find(end), vertices_);
    vertices_ += is_new ? 1 : 0;
    return at->second;
  };
  const auto connect = [this](std::uint32_t from, std::uint32_t to) {
    FlowEdge& edge = edges_.emplace_back();
    edge.from = from;
    edge.to = to;
  };
  for (std::uint32_t link = 0; link < shape.used.size(); ++link) {
    if (!shape.used[link]) {
      continue;
    }
    start_of[link] = vertices_;
    vertices_ += 2;
    const double capacity = hosts.free_transfers() || links[link].fatpipe
                                ? kUnlimitedRate
                                : links[link].capacity_bytes_per_s;
    edges_.push_back({start_of[link], start_of[link] + 1, capacity, FlowEdge::Kind::link, link});
    if (shape.precedes[link]) {
      connect(start_of[link] + 1, junction(Junctions::end_of(link)));
    }
    if (shape.follows[link]) {
      connect(junction(Junctions::start_of(link)), start_of[link]);
    }
  }
  for (const auto& [host, link] : shape.first_links) {
    connect(host, start_of[link]);
  }
  for (const auto& [host, link] : shape.last_links) {
    connect(start_of[link] + 1, host);
  }
  for (const auto& [from, to] : shape.without_links) {
    connect(from, to);
  }
  index_edges();
}

FlowGraph FlowGraph::with_ranks(const RankLimits& ranks) const {
  FlowGraph limited = *this;
  const std::uint32_t count = hosts_->size();
  const std::uint32_t senders = vertices_;
  const std::uint32_t receivers = vertices_ + count;
  limited.vertices_ += 2 * count;
  for (FlowEdge& edge : limited.edges_) {
    edge.from = edge.from < count ? senders + edge.from : edge.from;
    edge.to = edge.to < count ? receivers + edge.to : edge.to;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const HostFigures& host = hosts_->of(i);
    limited.edges_.push_back({i, senders + i, ranks.of_host(host, true), FlowEdge::Kind::send, i});
    limited.edges_.push_back(
        {receivers + i, i, ranks.of_host(host, false), FlowEdge::Kind::receive, i});
  }
  limited.index_edges();
  return limited;
}

void FlowGraph::index_edges() {
  edges_at_ = {vertices_, [&](const auto& add) {
                 for (std::uint32_t id = 0; id < edges_.size(); ++id) {
                   add(edges_[id].from, id);
                   add(edges_[id].to, id);
                 }
               }};
}

double FlowGraph::capacity_out(const std::vector<bool>& inside) const {
  double sum = 0;
  for (const FlowEdge& edge : edges_) {
    if (inside[edge.from] && !inside[edge.to]) {
      sum += edge.capacity_bytes_per_s;
    }
  }
  return sum;
}

}}  // namespace tutti::cost_models
