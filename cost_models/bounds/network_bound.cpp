#include "cost_models/bounds/network_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "cost_models/bounds/cut_family.hpp"
#include "cost_models/bounds/flow_graph.hpp"
#include "cost_models/bounds/needs.hpp"

namespace tutti::inline cost_models {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Smallest number of rounds after which `reached` ranks can have the data of one rank, if in each
// round each of them can send to `times` - 1 more.
std::uint32_t rounds_to_reach(std::uint64_t reached, std::uint64_t times) {
  std::uint32_t rounds = 0;
  for (std::uint64_t have = 1; have < reached; have *= times) {
    ++rounds;
  }
  return rounds;
}

BoundPart rated_part(Certificate form, double startup_s, double amount, double rate) {
  BoundPart part;
  if (amount > 0 && rate > 0 && std::isfinite(rate) && std::isfinite(startup_s)) {
    part.form = form;
    part.startup_s = startup_s;
    part.amount = amount;
    part.rate = rate;
    part.seconds = startup_s + amount / rate;
  }
  return part;
}

}  // namespace

const BoundPart& NetworkBound::deciding() const {
  const BoundPart* longest = parts.data();
  for (const BoundPart& part : parts) {
    if (part.seconds > longest->seconds * (1 + 1e-12)) {
      longest = &part;
    }
  }
  return *longest;
}

class NetworkBounds::Inside {
 public:
  Inside(Network& network, BoundMachine machine) : network_(network), machine_(std::move(machine)) {
    FlowGraph graph(network, machine_.host_of_rank, machine_.free_transfers);
    std::vector<std::vector<std::uint32_t>> partitions;
    for (const std::vector<std::uint32_t>& given : machine_.groups_of_hosts) {
      std::vector<std::uint32_t>& own = partitions.emplace_back();
      for (const FlowHost& host : graph.hosts()) {
        own.push_back(given.at(host.number));
      }
    }
    for (const FlowHost& host : graph.hosts()) {
      const NetworkHost found = network.host(host.number);
      flops_per_s_ += found.speed_flops_per_s * std::min(host.ranks, found.cores);
      own_latency_s_ =
          host.ranks > 1 ? std::min(own_latency_s_, host.own_latency_s) : own_latency_s_;
      most_ranks_ = std::max(most_ranks_, host.ranks);
    }
    if (machine_.ports > 0) {
      limited_.emplace(graph.with_ports(machine_.ports), partitions);
    }
    links_.emplace(std::move(graph), partitions);
  }

  NetworkBound bound(const Problem& problem) {
    TUTTI_INVARIANT(problem.ranks == machine_.host_of_rank.size());
    const Needs needs(problem);
    NetworkBound bound;
    for (std::size_t i = 0; i < bound.parts.size(); ++i) {
      bound.parts[i].kind = static_cast<BoundKind>(i);
    }
    if (needs.nothing()) {
      return bound;
    }
    const auto put = [&bound](BoundKind kind, BoundPart part) {
      BoundPart& best = bound.parts[static_cast<std::size_t>(kind)];
      take_longer(best, std::move(part));
      best.kind = kind;
    };
    put(BoundKind::rounds, rounds(needs));
    put(BoundKind::rounds, farthest(needs));
    put(BoundKind::reductions, rated_part(Certificate::work, least_latency_s(),
                                          needs.reduced() * machine_.flops_per_byte, flops_per_s_));
    if (machine_.free_transfers) {
      return bound;
    }
    put(BoundKind::bytes, by_bytes(needs, *links_, std::nullopt));
    if (limited_) {
      put(BoundKind::ports, by_rank(needs));
      put(BoundKind::ports, by_bytes(needs, *limited_, machine_.ports));
    }
    return bound;
  }

 private:
  [[nodiscard]] const FlowGraph& graph() const { return links_->graph(); }
  [[nodiscard]] double least_latency_s() const {
    return std::min(graph().least_latency_s(), own_latency_s_);
  }

  // A rank sends at most k messages at a time, and no message takes less than the least latency L.
  // A message that ends in the interval (jL, (j+1)L] began at jL or earlier, when its sender
  // already had what it sends, and was under way at jL. So at most k such messages come from each
  // rank, and the number of ranks that have data of one rank grows at most by the factor 1 + k in
  // each interval. For data that one rank needs from many, the same holds backwards in time. Hosts
  // with R ranks each are like ranks with k R ports for messages between hosts.
  [[nodiscard]] BoundPart rounds(const Needs& needs) const {
    const std::uint64_t ports = machine_.ports;
    const auto part = [](std::uint32_t count, double startup_s) {
      BoundPart found;
      if (count > 0 && startup_s > 0 && std::isfinite(startup_s)) {
        found.form = Certificate::rounds;
        found.amount = count;
        found.startup_s = startup_s;
        found.seconds = count * startup_s;
      }
      return found;
    };
    const std::uint64_t ranks = std::uint64_t{needs.partners()} + 1;
    BoundPart best = part(ports == 0 ? 1 : rounds_to_reach(ranks, ports + 1), least_latency_s());
    const std::uint64_t hosts = (ranks + most_ranks_ - 1) / most_ranks_;
    if (hosts > 1) {
      take_longer(best, part(ports == 0 ? 1 : rounds_to_reach(hosts, ports * most_ranks_ + 1),
                             graph().least_latency_s()));
    }
    return best;
  }

  // Data can go from one host to another directly, or over other hosts. In the second case, they
  // need at least one message from the first host and one to the second.
  [[nodiscard]] BoundPart farthest(const Needs& needs) const {
    BoundPart best;
    const std::vector<std::uint32_t>& host_of_rank = graph().host_of_rank();
    const auto hosts = static_cast<std::uint32_t>(graph().hosts().size());
    std::vector<bool> seen(std::size_t{hosts} * hosts, false);
    for (Rank from = 0; from < needs.ranks(); ++from) {
      for (Rank to = 0; to < needs.ranks(); ++to) {
        const std::uint32_t source = host_of_rank[from];
        const std::uint32_t target = host_of_rank[to];
        if (source == target || seen[std::size_t{source} * hosts + target] ||
            !needs.depends(to, from)) {
          continue;
        }
        seen[std::size_t{source} * hosts + target] = true;
        const double seconds = std::min(
            graph().latency_s(source, target),
            graph().hosts()[source].send_latency_s + graph().hosts()[target].receive_latency_s);
        if (seconds > best.seconds) {
          best.form = Certificate::route;
          best.startup_s = best.seconds = seconds;
          best.hosts = {graph().hosts()[source].number, graph().hosts()[target].number};
        }
      }
    }
    return best;
  }

  [[nodiscard]] BoundPart by_bytes(const Needs& needs, CutFamily& family,
                                   std::optional<std::uint32_t> ports) const {
    BoundPart best = family.by_cuts(needs);
    take_longer(best, family.by_groups(needs));
    take_longer(best, within_hosts(needs, family, ports));
    if (needs.in_pieces()) {
      take_longer(best, family.by_lengths(needs, best, direct_s(needs, ports)));
    }
    return best;
  }

  // Returns the time of the busiest link or host if every piece goes on the platform's route.
  [[nodiscard]] double direct_s(const Needs& needs, std::optional<std::uint32_t> ports) const {
    const std::vector<FlowHost>& hosts = graph().hosts();
    const HostPairs pieces = needs.pieces_by_host(graph().host_of_rank(), hosts.size());
    std::vector<double> busy_s(network_.links().size(), 0);
    std::vector<double> sent(hosts.size(), 0);
    std::vector<double> received(hosts.size(), 0);
    for (std::size_t from = 0; from < hosts.size(); ++from) {
      for (std::size_t to = 0; to < hosts.size(); ++to) {
        const double bytes = pieces.at(from, to);
        if (bytes == 0) {
          continue;
        }
        sent[from] += bytes;
        received[to] += bytes;
        for (const Hop hop : network_.route(hosts[from].number, hosts[to].number).hops) {
          const NetworkLink& link = network_.links()[hop.link()];
          if (!link.fatpipe) {
            busy_s[hop.link()] += bytes * hop.consumption(false) / link.capacity_bytes_per_s;
          }
        }
      }
    }
    double longest_s = 0;
    for (const double each_s : busy_s) {
      longest_s = std::max(longest_s, each_s);
    }
    for (std::size_t i = 0; ports && i < hosts.size(); ++i) {
      const double messages = double{1} * *ports * hosts[i].ranks;
      longest_s = std::max({longest_s, sent[i] / (messages * hosts[i].send_bytes_per_s),
                            received[i] / (messages * hosts[i].receive_bytes_per_s)});
    }
    return longest_s;
  }

  // Bytes per second between the ranks of a host.
  [[nodiscard]] static double own_capacity(const FlowHost& host,
                                           std::optional<std::uint32_t> ports) {
    if (host.ranks < 2) {
      return 0;
    }
    return ports ? std::min(host.own_capacity_bytes_per_s,
                            double{1} * *ports * host.ranks * host.own_bytes_per_s)
                 : host.own_capacity_bytes_per_s;
  }

  // Messages to the ranks of a host come from the host itself or cross the cut around it. The same
  // holds for all ranks together, and for messages from ranks.
  [[nodiscard]] BoundPart within_hosts(const Needs& needs, const CutFamily& family,
                                       std::optional<std::uint32_t> ports) const {
    BoundPart best;
    if (needs.ranks() == graph().hosts().size()) {
      return best;
    }
    const HostGroups& single = family.partitions().front();
    std::vector<std::uint32_t> each(needs.ranks());
    std::iota(each.begin(), each.end(), 0);
    const double all = needs.between(each, needs.ranks());
    for (const bool sends : {true, false}) {
      std::vector<double> bytes(graph().hosts().size(), 0);
      for (Rank rank = 0; rank < needs.ranks(); ++rank) {
        bytes[graph().host_of_rank()[rank]] += sends ? needs.sent(rank) : needs.received(rank);
      }
      double capacity = 0;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const FlowHost& host = graph().hosts()[i];
        const double own =
            own_capacity(host, ports) +
            (bytes.size() > 1 ? (sends ? single.out[i] : single.in[i]).capacity_bytes_per_s : 0);
        capacity += own;
        if (host.ranks > 1) {
          BoundPart part = rated_part(Certificate::host, least_latency_s(), bytes[i], own);
          part.hosts = {host.number};
          part.hosts_send = sends;
          take_longer(best, std::move(part));
        }
      }
      BoundPart part = rated_part(Certificate::ranks, least_latency_s(), all, capacity);
      part.hosts_send = sends;
      take_longer(best, std::move(part));
    }
    return best;
  }

  // Bytes that each rank must send and receive, over its ports.
  [[nodiscard]] BoundPart by_rank(const Needs& needs) const {
    BoundPart best;
    for (Rank rank = 0; rank < needs.ranks(); ++rank) {
      const FlowHost& host = graph().hosts()[graph().host_of_rank()[rank]];
      const double own_rate = host.ranks > 1 ? host.own_bytes_per_s : 0;
      const double own_s = host.ranks > 1 ? host.own_latency_s : kNever;
      for (const bool sends : {true, false}) {
        const double rate =
            machine_.ports *
            std::max(sends ? host.send_bytes_per_s : host.receive_bytes_per_s, own_rate);
        BoundPart part =
            rated_part(Certificate::rank,
                       std::min(sends ? host.send_latency_s : host.receive_latency_s, own_s),
                       sends ? needs.sent(rank) : needs.received(rank), rate);
        part.rank = rank;
        part.hosts_send = sends;
        take_longer(best, std::move(part));
      }
    }
    return best;
  }

  Network& network_;
  BoundMachine machine_;
  std::optional<CutFamily> links_;
  std::optional<CutFamily> limited_;  // with ports; nothing if their number is unlimited
  double flops_per_s_ = 0;            // of all ranks together
  double own_latency_s_ = kNever;     // lowest latency of a message within a host
  std::uint32_t most_ranks_ = 1;      // on one host
};

NetworkBounds::NetworkBounds(Network& network, BoundMachine machine)
    : inside_(std::make_unique<Inside>(network, std::move(machine))) {}
NetworkBounds::~NetworkBounds() = default;
NetworkBounds::NetworkBounds(NetworkBounds&&) noexcept = default;

NetworkBound NetworkBounds::of(const Problem& problem) { return inside_->bound(problem); }

}  // namespace tutti::inline cost_models
