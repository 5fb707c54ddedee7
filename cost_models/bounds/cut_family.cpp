#include "cost_models/bounds/cut_family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cost_models/bounds/length_search.hpp"

namespace tutti::inline cost_models {

namespace {

bool is_limited(double bytes, double capacity_bytes_per_s) {
  return bytes > 0 && std::isfinite(capacity_bytes_per_s) && capacity_bytes_per_s > 0;
}

// Returns the edges of all cuts, each once.
std::vector<std::uint32_t> edges_of_cuts(const std::vector<HostCut>& cuts) {
  std::vector<std::uint32_t> edges;
  for (const HostCut& cut : cuts) {
    edges.insert(edges.end(), cut.edges.begin(), cut.edges.end());
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

void take_longer(BoundPart& best, BoundPart other) {
  if (other.seconds > best.seconds * (1 + 1e-12)) {
    best = std::move(other);
  }
}

CutFamily::CutFamily(FlowGraph graph,
                     const std::vector<std::vector<std::uint32_t>>& groups_of_hosts)
    : graph_(std::move(graph)) {
  const auto hosts = static_cast<std::uint32_t>(graph_.hosts().size());
  HostGroups& single = partitions_.emplace_back();
  single.groups = hosts;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    single.group_of_host.push_back(host);
    single.out.push_back(around(host, true));
    single.in.push_back(around(host, false));
  }
  for (const std::vector<std::uint32_t>& given : groups_of_hosts) {
    HostGroups partition;
    std::vector<std::uint32_t> names = given;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    partition.groups = static_cast<std::uint32_t>(names.size());
    if (partition.groups < 2 || partition.groups == hosts) {
      continue;
    }
    for (const std::uint32_t group : given) {
      partition.group_of_host.push_back(static_cast<std::uint32_t>(
          std::lower_bound(names.begin(), names.end(), group) - names.begin()));
    }
    for (std::uint32_t group = 0; group < partition.groups; ++group) {
      std::vector<bool> members(hosts);
      for (std::uint32_t host = 0; host < hosts; ++host) {
        members[host] = partition.group_of_host[host] == group;
      }
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const NetworkCut cut = search(direction).narrowest(members);
        HostCut& found = (direction == Direction::forward ? partition.out : partition.in)
                             .emplace_back(host_cut(cut, direction));
        found.hosts.clear();
        for (std::uint32_t host = 0; host < hosts; ++host) {
          if (members[host]) {
            found.hosts.push_back(host);
          }
        }
        found.hosts_send = direction == Direction::forward;
      }
    }
    partitions_.push_back(std::move(partition));
  }
  for (HostGroups& partition : partitions_) {
    partition.edges_out = edges_of_cuts(partition.out);
    partition.edges_in = edges_of_cuts(partition.in);
  }
}

CutSearch& CutFamily::search(Direction direction) {
  std::unique_ptr<CutSearch>& made = direction == Direction::forward ? forward_ : backward_;
  if (made == nullptr) {
    made = std::make_unique<CutSearch>(graph_, direction);
  }
  return *made;
}

// Returns the cut next to a host: its ports if they are limited, or else the first links of its
// routes, whichever carry less.
HostCut CutFamily::around(std::uint32_t host, bool sends) const {
  HostCut ports{{host}, sends, {}, 0};
  HostCut links{{host}, sends, {}, 0};
  std::vector<std::uint32_t> next{host};
  const auto near = [sends](const FlowEdge& edge) { return sends ? edge.from : edge.to; };
  const auto far = [sends](const FlowEdge& edge) { return sends ? edge.to : edge.from; };
  // Goes along edges without a limit and, for `links`, through the ports.
  const auto add = [&](HostCut& cut, std::uint32_t edge) {
    cut.edges.push_back(edge);
    cut.capacity_bytes_per_s += graph_.edges()[edge].capacity_bytes_per_s;
  };
  for (std::size_t i = 0; i < next.size(); ++i) {
    for (const std::uint32_t id : graph_.edges_at(next[i])) {
      const FlowEdge& edge = graph_.edges()[id];
      if (near(edge) != next[i]) {
        continue;
      }
      if (edge.kind == FlowEdge::Kind::link) {
        add(links, id);
      } else if (far(edge) < graph_.hosts().size()) {
        links.capacity_bytes_per_s = std::numeric_limits<double>::infinity();
      } else {
        if (edge.kind != FlowEdge::Kind::junction) {
          add(ports, id);
        }
        next.push_back(far(edge));
      }
    }
  }
  return !ports.edges.empty() && ports.capacity_bytes_per_s < links.capacity_bytes_per_s ? ports
                                                                                         : links;
}

HostCut CutFamily::host_cut(const NetworkCut& cut, Direction direction) const {
  HostCut found;
  std::vector<std::uint32_t> outside;
  for (std::uint32_t host = 0; host < graph_.hosts().size(); ++host) {
    (cut.inside[host] ? found.hosts : outside).push_back(host);
  }
  const bool forward = direction == Direction::forward;
  found.hosts_send = forward;
  if (outside.size() < found.hosts.size()) {
    found.hosts = std::move(outside);
    found.hosts_send = !forward;
  }
  found.capacity_bytes_per_s = cut.capacity_bytes_per_s;
  for (std::uint32_t id = 0; id < graph_.edges().size(); ++id) {
    const FlowEdge& edge = graph_.edges()[id];
    if (cut.inside[forward ? edge.from : edge.to] && !cut.inside[forward ? edge.to : edge.from]) {
      found.edges.push_back(id);
    }
  }
  return found;
}

BoundLimit CutFamily::limit_of(std::uint32_t id) const {
  const FlowEdge& edge = graph_.edges()[id];
  BoundLimit limit;
  limit.kind = edge.kind == FlowEdge::Kind::send      ? BoundLimit::Kind::send_ports
               : edge.kind == FlowEdge::Kind::receive ? BoundLimit::Kind::receive_ports
                                                      : BoundLimit::Kind::link;
  limit.of = edge.kind == FlowEdge::Kind::link ? edge.of : graph_.hosts()[edge.of].number;
  limit.capacity_bytes_per_s = edge.capacity_bytes_per_s;
  return limit;
}

// Data cross a cut in messages from a host on one side to a host on the other. No byte of such a
// message moves before its latency has passed. Therefore the latency of the fastest such message
// may be added to the time of the bytes.
double CutFamily::least_latency_s(const HostCut& cut) const {
  std::vector<bool> named(graph_.hosts().size(), false);
  for (const std::uint32_t host : cut.hosts) {
    named[host] = true;
  }
  double least_s = std::numeric_limits<double>::infinity();
  for (const std::uint32_t host : cut.hosts) {
    for (std::uint32_t other = 0; other < named.size(); ++other) {
      if (!named[other]) {
        least_s = std::min(least_s, cut.hosts_send ? graph_.latency_s(host, other)
                                                   : graph_.latency_s(other, host));
      }
    }
  }
  return least_s;
}

BoundPart CutFamily::part_of(const HostCut& cut, double bytes) const {
  BoundPart part;
  if (!is_limited(bytes, cut.capacity_bytes_per_s)) {
    return part;
  }
  part.form = Certificate::cut;
  part.amount = bytes;
  part.rate = cut.capacity_bytes_per_s;
  part.startup_s = least_latency_s(cut);
  part.seconds = part.startup_s + part.amount / part.rate;
  part.hosts_send = cut.hosts_send;
  for (const std::uint32_t host : cut.hosts) {
    part.hosts.push_back(graph_.hosts()[host].number);
  }
  for (const std::uint32_t edge : cut.edges) {
    part.limits.push_back(limit_of(edge));
  }
  return part;
}

void CutFamily::add_copies(const std::vector<double>& by_rank, Direction direction,
                           BoundPart& best) {
  if (by_rank.empty()) {
    return;
  }
  const std::vector<double> bytes =
      Needs::by_host(by_rank, graph_.host_of_rank(), graph_.hosts().size());
  // Only cuts that take longer than the best one so far are of interest.
  const double known_s = best.rate > 0 ? best.amount / best.rate : 0;
  if (const auto cut = search(direction).everyone_gets(bytes, known_s)) {
    take_longer(best, part_of(host_cut(*cut, direction), cut->bytes));
  }
}

void CutFamily::add_pieces(const Needs& needs, BoundPart& best) {
  const std::size_t hosts = graph_.hosts().size();
  const HostPairs pieces = needs.pieces_by_host(graph_.host_of_rank(), hosts);
  const HostCut* slowest = nullptr;
  double slowest_bytes = 0;
  for (const HostGroups& partition : partitions_) {
    std::vector<double> out(partition.groups, 0);
    std::vector<double> in(partition.groups, 0);
    for (std::size_t from = 0; from < hosts; ++from) {
      for (std::size_t to = 0; to < hosts; ++to) {
        if (partition.group_of_host[from] != partition.group_of_host[to]) {
          out[partition.group_of_host[from]] += pieces.at(from, to);
          in[partition.group_of_host[to]] += pieces.at(from, to);
        }
      }
    }
    for (std::uint32_t group = 0; group < partition.groups; ++group) {
      for (const bool sends : {true, false}) {
        const HostCut& cut = sends ? partition.out[group] : partition.in[group];
        const double bytes = sends ? out[group] : in[group];
        if (is_limited(bytes, cut.capacity_bytes_per_s) &&
            (slowest == nullptr ||
             bytes * slowest->capacity_bytes_per_s > slowest_bytes * cut.capacity_bytes_per_s)) {
          slowest = &cut;
          slowest_bytes = bytes;
        }
      }
    }
  }
  if (slowest != nullptr) {
    take_longer(best, part_of(*slowest, slowest_bytes));
  }
  // The tightest cut for copies of the data is often tight for pieces, too.
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const bool forward = direction == Direction::forward;
    std::vector<double> moved(hosts, 0);
    for (std::size_t from = 0; from < hosts; ++from) {
      for (std::size_t to = 0; to < hosts; ++to) {
        moved[forward ? from : to] += pieces.at(from, to);
      }
    }
    const auto found = search(direction).everyone_gets(moved);
    if (!found) {
      continue;
    }
    double bytes = 0;
    for (std::size_t from = 0; from < hosts; ++from) {
      for (std::size_t to = 0; to < hosts; ++to) {
        const bool out = found->inside[from] && !found->inside[to];
        const bool in = !found->inside[from] && found->inside[to];
        bytes += (forward ? out : in) ? pieces.at(from, to) : 0;
      }
    }
    take_longer(best, part_of(host_cut(*found, direction), bytes));
  }
}

BoundPart CutFamily::by_cuts(const Needs& needs) {
  BoundPart best;
  if (needs.nothing() || graph_.hosts().size() < 2) {
    return best;
  }
  if (needs.in_pieces()) {
    add_pieces(needs, best);
    // With a single root, the tightest cut is found exactly.
    for (const auto& [root, direction] : {std::pair{needs.only_source(), Direction::forward},
                                          std::pair{needs.only_target(), Direction::backward}}) {
      if (!root) {
        continue;
      }
      std::vector<double> by_rank(needs.ranks());
      for (Rank rank = 0; rank < needs.ranks(); ++rank) {
        by_rank[rank] =
            direction == Direction::forward ? needs.piece(*root, rank) : needs.piece(rank, *root);
      }
      const std::uint32_t host = graph_.host_of_rank()[*root];
      std::vector<double> bytes =
          Needs::by_host(by_rank, graph_.host_of_rank(), graph_.hosts().size());
      bytes[host] = 0;
      if (const auto cut = search(direction).each_gets_its_part(host, bytes)) {
        take_longer(best, part_of(host_cut(*cut, direction), cut->bytes));
      }
    }
    return best;
  }
  add_copies(needs.copied(), Direction::forward, best);
  add_copies(needs.summed(), Direction::backward, best);
  return best;
}

// Each message between two groups crosses the cut of the group that it leaves, so at least one edge
// of all these cuts together. The same holds for the groups that messages enter.
BoundPart CutFamily::by_groups(const Needs& needs) const {
  BoundPart best;
  if (needs.nothing() || graph_.hosts().size() < 2) {
    return best;
  }
  for (const HostGroups& partition : partitions_) {
    std::vector<std::uint32_t> group_of_rank;
    for (const std::uint32_t host : graph_.host_of_rank()) {
      group_of_rank.push_back(partition.group_of_host[host]);
    }
    const double bytes = needs.between(group_of_rank, partition.groups);
    for (const bool sends : {true, false}) {
      const std::vector<HostCut>& cuts = sends ? partition.out : partition.in;
      const std::vector<std::uint32_t>& edges = sends ? partition.edges_out : partition.edges_in;
      double capacity = 0;
      for (const HostCut& cut : cuts) {
        capacity = std::max(capacity, cut.capacity_bytes_per_s);
      }
      if (!is_limited(bytes, capacity)) {
        continue;  // a group without a limit, which has no edges
      }
      capacity = 0;
      for (const std::uint32_t edge : edges) {
        capacity += graph_.edges()[edge].capacity_bytes_per_s;
      }
      if (!is_limited(bytes, capacity)) {
        continue;
      }
      BoundPart part;
      part.form = Certificate::groups;
      part.amount = bytes;
      part.rate = capacity;
      part.groups = partition.groups;
      part.hosts_send = sends;
      part.startup_s = graph_.least_latency_s();
      if (partition.groups != graph_.hosts().size()) {
        part.startup_s = std::numeric_limits<double>::infinity();
        for (const HostCut& cut : cuts) {
          part.startup_s = std::min(part.startup_s, least_latency_s(cut));
        }
      }
      part.seconds = part.startup_s + part.amount / part.rate;
      if (part.seconds > best.seconds * (1 + 1e-12)) {
        for (const std::uint32_t edge : edges) {
          part.limits.push_back(limit_of(edge));
        }
        best = std::move(part);
      }
    }
  }
  return best;
}

BoundPart CutFamily::by_lengths(const Needs& needs, const BoundPart& known, double direct_s) {
  BoundPart part;
  if (!needs.in_pieces() || needs.only_source() || needs.only_target() ||
      graph_.hosts().size() < 2) {
    return part;
  }
  const HostPairs pieces = needs.pieces_by_host(graph_.host_of_rank(), graph_.hosts().size());
  const double known_s = known.rate > 0 ? known.amount / known.rate : 0;
  const LengthSearch found = search_lengths(graph_, pieces, known_s, direct_s);
  const EdgeLengths& best = found.best;
  if (best.of_edge.empty()) {
    return part;
  }
  const double longest = *std::max_element(best.of_edge.begin(), best.of_edge.end());
  part.form = Certificate::lengths;
  part.amount = best.weighted_bytes / longest;
  part.rate = best.weighted_bytes_per_s / longest;
  part.startup_s = graph_.least_latency_s();
  part.seconds = part.startup_s + best.seconds();
  part.open_share = std::max(0.0, found.feasible_s / best.seconds() - 1);
  for (std::uint32_t edge = 0; edge < best.of_edge.size(); ++edge) {
    if (best.of_edge[edge] > 0) {
      part.limits.push_back(limit_of(edge));
      part.limits.back().length = best.of_edge[edge] / longest;
    }
  }
  return part;
}

}  // namespace tutti::inline cost_models
