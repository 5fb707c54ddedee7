#include "cost_models/bounds/cut_family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "cost_models/bounds/length_search.hpp"
#include "cost_models/bounds/twin_hosts.hpp"

namespace tutti { inline namespace cost_models {

namespace {

bool is_limited(double bytes, double capacity_bytes_per_s) {
  return bytes > 0 && std::isfinite(capacity_bytes_per_s) && capacity_bytes_per_s > 0;
}

}  // namespace

CutFamily::CutFamily(Network& network, FlowGraph graph, const RankLimits& ranks,
                     const std::vector<std::vector<std::uint32_t>>& groups_of_hosts)
    : network_(network), graph_(std::move(graph)), ranks_(ranks) {
  const std::uint32_t hosts = graph_.hosts().size();
  HostGroups& single = partitions_.emplace_back();
  single.groups = hosts;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    single.group_of_host.push_back(host);
    single.out.push_back(around(host, true));
    single.in.push_back(around(host, false));
  }
  for (std::vector<std::uint32_t> groups : groups_of_hosts) {
    std::vector<std::uint32_t> names = groups;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.size() < 2 || names.size() == hosts) {
      continue;
    }
    for (std::uint32_t& group : groups) {
      group = static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), group) -
                                         names.begin());
    }
    partitions_.push_back(cuts_around_groups(graph_, search(), std::move(groups),
                                             static_cast<std::uint32_t>(names.size())));
  }
  for (HostGroups& partition : partitions_) {
    collect_edges(partition);
  }
}

const CutSearch& CutFamily::search() {
  if (search_ == nullptr) {
    search_ = std::make_unique<CutSearch>(graph_);
  }
  return *search_;
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
  limit.of = edge.kind == FlowEdge::Kind::link ? edge.of : graph_.hosts().number(edge.of);
  limit.capacity_bytes_per_s = edge.capacity_bytes_per_s;
  return limit;
}

BoundPart CutFamily::part_of(const HostCut& cut, double bytes) const {
  BoundPart part;
  if (!is_limited(bytes, cut.capacity_bytes_per_s)) {
    return part;
  }
  part.form = Certificate::cut;
  part.amount = bytes;
  part.rate = cut.capacity_bytes_per_s;
  // Data cross a cut in messages from a host on one side to a host on the other. No byte of such a
  // message moves before its latency has passed. Therefore the latency of the fastest such message
  // may be added to the time of the bytes.
  part.startup_s = graph_.hosts().least_latency_s(cut.hosts, cut.hosts_send);
  part.seconds = part.startup_s + part.amount / part.rate;
  part.hosts_send = cut.hosts_send;
  for (const std::uint32_t host : cut.hosts) {
    part.hosts.push_back(graph_.hosts().number(host));
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
      Needs::by_host(by_rank, graph_.hosts().host_of_rank(), graph_.hosts().size());
  // Only cuts that take longer than the best one so far are of interest.
  const double known_s = best.rate > 0 ? best.amount / best.rate : 0;
  if (const auto cut = search().broadcast_cut(direction, bytes, known_s)) {
    take_longer(best, part_of(host_cut(*cut, direction), cut->bytes));
  }
}

BoundPart CutFamily::by_cuts(const Needs& needs) {
  const HostCut* slowest = nullptr;
  double slowest_bytes = 0;
  for (const HostGroups& partition : partitions_) {
    const GroupNeeds bytes_of = needs.of_groups(groups_of_ranks(partition), partition.groups);
    for (std::uint32_t group = 0; group < partition.groups; ++group) {
      for (const bool sends : {true, false}) {
        const HostCut& cut = sends ? partition.out[group] : partition.in[group];
        const double bytes = sends ? bytes_of.sent[group] : bytes_of.received[group];
        if (is_limited(bytes, cut.capacity_bytes_per_s) &&
            (slowest == nullptr ||
             bytes * slowest->capacity_bytes_per_s > slowest_bytes * cut.capacity_bytes_per_s)) {
          slowest = &cut;
          slowest_bytes = bytes;
        }
      }
    }
  }
  return slowest != nullptr ? part_of(*slowest, slowest_bytes) : BoundPart();
}

std::vector<std::uint32_t> CutFamily::groups_of_ranks(const HostGroups& partition) const {
  std::vector<std::uint32_t> groups;
  for (const std::uint32_t host : graph_.hosts().host_of_rank()) {
    groups.push_back(partition.group_of_host[host]);
  }
  return groups;
}

// Each message between two groups crosses the cut of the group that it leaves, so at least one edge
// of all these cuts together. The same holds for the groups that messages enter.
BoundPart CutFamily::by_groups(const Needs& needs, const BoundPart& known) {
  BoundPart best;
  for (const HostGroups& partition : partitions_) {
    const double bytes = needs.between(groups_of_ranks(partition), partition.groups);
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
      part.startup_s = graph_.hosts().least_latency_s();
      if (partition.groups != graph_.hosts().size()) {
        part.startup_s = std::numeric_limits<double>::infinity();
        for (const HostCut& cut : cuts) {
          part.startup_s =
              std::min(part.startup_s, graph_.hosts().least_latency_s(cut.hosts, cut.hosts_send));
        }
      }
      part.seconds = part.startup_s + part.amount / part.rate;
      if (part.seconds > std::max(best.seconds, known.seconds) * (1 + 1e-12)) {
        for (const std::uint32_t edge : edges) {
          part.limits.push_back(limit_of(edge));
        }
        best = std::move(part);
      }
    }
  }
  return best;
}

double CutFamily::direct_s(const Needs& needs, const PieceRows& pieces) const {
  const HostsInUse& hosts = graph_.hosts();
  const std::vector<NetworkLink>& links = network_.links();
  std::vector<double> busy_s(links.size(), 0);
  const GroupNeeds bytes_of = needs.of_groups(hosts.host_of_rank(), hosts.size());
  const auto add = [&](double bytes, const Hop hop) {
    const NetworkLink& link = links[hop.link()];
    if (!link.fatpipe) {
      busy_s[hop.link()] += bytes * hop.consumption(false) / link.capacity_bytes_per_s;
    }
  };
  // The routes from the hosts of a row differ only in their first links, which carry all that their
  // hosts send.
  std::vector<std::vector<std::uint32_t>> members(pieces.rows);
  for (std::uint32_t host = 0; host < hosts.size(); ++host) {
    members[pieces.row_of_host[host]].push_back(host);
  }
  for (std::size_t row = 0; row < pieces.rows; ++row) {
    const std::vector<std::uint32_t>& alike = members[row];
    for (std::uint32_t to = 0; to < hosts.size(); ++to) {
      const double bytes = pieces.at(row, to);
      const std::uint32_t from = to == alike.front() ? alike.back() : alike.front();
      if (bytes == 0 || from == to) {
        continue;
      }
      const auto hops = network_.route(hosts.number(from), hosts.number(to)).hops;
      for (const Hop hop : hops.subspan(alike.size() > 1 ? 1 : 0)) {
        add(bytes, hop);
      }
    }
    for (std::size_t i = 0; alike.size() > 1 && i < alike.size(); ++i) {
      const std::uint32_t other = alike[i == 0 ? 1 : 0];
      add(bytes_of.sent[alike[i]],
          network_.route(hosts.number(alike[i]), hosts.number(other)).hops.front());
    }
  }
  double longest_s = 0;
  for (const double each_s : busy_s) {
    longest_s = std::max(longest_s, each_s);
  }
  for (std::uint32_t host = 0; ranks_.limit_rates() && host < hosts.size(); ++host) {
    const HostFigures& figures = hosts.of(host);
    longest_s = std::max({longest_s, bytes_of.sent[host] / ranks_.of_host(figures, true),
                          bytes_of.received[host] / ranks_.of_host(figures, false)});
  }
  return longest_s;
}

// The tightest cut for copies of the data is often tight for pieces, too.
BoundPart CutFamily::by_cuts_of_copies(const Needs& needs) {
  BoundPart best;
  const std::vector<std::uint32_t>& host_of_rank = graph_.hosts().host_of_rank();
  const GroupNeeds moved = needs.of_groups(host_of_rank, graph_.hosts().size());
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const bool forward = direction == Direction::forward;
    const auto found = search().broadcast_cut(direction, forward ? moved.sent : moved.received);
    if (!found) {
      continue;
    }
    std::vector<bool> inside(found->inside.begin(), found->inside.begin() + graph_.hosts().size());
    if (!forward) {
      inside.flip();
    }
    take_longer(best,
                part_of(host_cut(*found, direction), needs.from_inside(host_of_rank, inside)));
  }
  return best;
}

// With a single root, the tightest cut is found exactly.
BoundPart CutFamily::by_cuts_of_root(const Needs& needs) {
  BoundPart best;
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
    const std::vector<std::uint32_t>& host_of_rank = graph_.hosts().host_of_rank();
    const std::uint32_t host = host_of_rank[*root];
    std::vector<double> bytes = Needs::by_host(by_rank, host_of_rank, graph_.hosts().size());
    bytes[host] = 0;
    if (const auto cut = search().scatter_cut(direction, host, bytes)) {
      take_longer(best, part_of(host_cut(*cut, direction), cut->bytes));
    }
  }
  return best;
}

BoundPart CutFamily::beyond_cuts(const Needs& needs, const BoundPart& known, BoundSearch search) {
  const bool has_root = needs.only_source() || needs.only_target();
  if (search == BoundSearch::quick) {
    return needs.in_pieces() && !has_root ? by_lengths(needs, known, search) : BoundPart();
  }
  if (!needs.in_pieces()) {
    BoundPart best = by_cuts(needs);  // not `known`, which need not be a cut
    add_copies(needs.copied(), Direction::forward, best);
    add_copies(needs.summed(), Direction::backward, best);
    return best;
  }
  if (has_root) {
    return by_cuts_of_root(needs);
  }
  BoundPart best = by_cuts_of_copies(needs);
  take_longer(best, by_lengths(needs, known.seconds > best.seconds ? known : best, search));
  return best;
}

BoundPart CutFamily::by_lengths(const Needs& needs, const BoundPart& known,
                                BoundSearch search) const {
  BoundPart part;
  if (graph_.edges().empty()) {
    return part;
  }
  // A row has hosts that are alike in the network, and also in the graph, with its ports.
  const TwinHosts twins(graph_, !needs.by_pairs());
  if (work_of_round(twins) >
      (search == BoundSearch::quick ? kMostWorkOfFirstRound : kMostWorkOfRound)) {
    return part;
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_rows;
  std::vector<std::uint32_t> row_of_host;
  for (std::uint32_t host = 0; host < graph_.hosts().size(); ++host) {
    const auto next = static_cast<std::uint32_t>(known_rows.size());
    row_of_host.push_back(
        known_rows.try_emplace({graph_.hosts().kind(host), twins.first_of_host[host]}, next)
            .first->second);
  }
  const PieceRows pieces = needs.by_rows(graph_.hosts().host_of_rank(), std::move(row_of_host));
  const double startup_s = graph_.hosts().least_latency_s();
  const auto [least, most] = needs.piece_range();
  const double at_least_s = std::max(0.0, known.seconds - startup_s);
  const double unevenness = needs.by_pairs() ? 1 : most / least;
  const LengthSearch found =
      search == BoundSearch::quick
          ? first_lengths(graph_, twins, pieces, unevenness, at_least_s)
          : search_lengths(graph_, twins, pieces, unevenness, at_least_s, direct_s(needs, pieces));
  const EdgeLengths& best = found.best;
  if (best.of_edge.empty()) {
    return part;
  }
  const double longest = *std::max_element(best.of_edge.begin(), best.of_edge.end());
  part.form = Certificate::lengths;
  part.amount = best.weighted_bytes / longest;
  part.rate = best.weighted_bytes_per_s / longest;
  part.bytes = std::accumulate(pieces.bytes.begin(), pieces.bytes.end(), 0.0);
  part.startup_s = startup_s;
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

}}  // namespace tutti::cost_models
