#include "cost_models/bounds/network_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "cost_models/bounds/combined_bounds.hpp"
#include "cost_models/bounds/cut_family.hpp"
#include "cost_models/bounds/data_cuts.hpp"
#include "cost_models/bounds/flow_graph.hpp"
#include "cost_models/bounds/hosts_in_use.hpp"
#include "cost_models/bounds/needs.hpp"
#include "cost_models/bounds/star_cuts.hpp"

namespace tutti { inline namespace cost_models {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

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
  Inside(Network& network, BoundMachine machine)
      : network_(network),
        machine_(std::move(machine)),
        hosts_(network, machine_.host_of_rank, machine_.free_transfers) {
    if (hosts_.size() > 1) {
      find_cuts();
    }
    for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
      const NetworkHost found = network.host(hosts_.number(i));
      flops_per_s_ += found.speed_flops_per_s * std::min(hosts_.of(i).ranks, found.cores);
    }
    for (const HostFigures& kind : hosts_.kinds()) {
      own_latency_s_ =
          kind.ranks > 1 ? std::min(own_latency_s_, kind.own_latency_s) : own_latency_s_;
      most_ranks_ = std::max(most_ranks_, kind.ranks);
    }
    for (std::uint32_t from = 0; from < hosts_.kinds().size(); ++from) {
      for (std::uint32_t to = 0; to < hosts_.kinds().size(); ++to) {
        for (std::uint32_t level = 0; level < hosts_.nested().levels(); ++level) {
          longest_way_s_ = std::max(longest_way_s_, way_s(level, from, to));
        }
      }
    }
  }

  NetworkBound bound(const Problem& problem, BoundSearch search) {
    TUTTI_INVARIANT(problem.ranks == machine_.host_of_rank.size());
    const Needs needs(problem);
    NetworkBound bound;
    bound.hosts = hosts_.size();
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
    put(BoundKind::rounds, postal(needs));
    if (longest_way_s_ > bound.of(BoundKind::rounds).seconds) {
      put(BoundKind::rounds, farthest(needs));
    }
    put(BoundKind::reductions, rated_part(Certificate::work, least_latency_s(),
                                          needs.reduced() * flops_per_byte(problem), flops_per_s_));
    if (machine_.free_transfers) {
      return bound;
    }
    put(BoundKind::bytes, by_bytes(needs, links_.get(), {}, search));
    if (machine_.ranks.limit_rates()) {
      put(BoundKind::ports, by_rank(needs));
      put(BoundKind::ports, by_bytes(needs, limited_.get(), machine_.ranks, search));
    }
    if (machine_.ranks.ports > 0) {
      put(BoundKind::ports, combined(needs));
    }
    return bound;
  }

 private:
  [[nodiscard]] double least_latency_s() const {
    return std::min(hosts_.least_latency_s(), own_latency_s_);
  }
  [[nodiscard]] double flops_per_byte(const Problem& problem) const {
    return machine_.flops_per_byte_for ? machine_.flops_per_byte_for(problem.bytes)
                                       : machine_.flops_per_byte;
  }

  void find_cuts() {
    if (StarCuts::fits(network_, hosts_)) {
      links_ = std::make_unique<StarCuts>(network_, hosts_, RankLimits());
      if (machine_.ranks.limit_rates()) {
        limited_ = std::make_unique<StarCuts>(network_, hosts_, machine_.ranks);
      }
      return;
    }
    std::vector<std::vector<std::uint32_t>> partitions;
    for (const std::vector<std::uint32_t>& given : machine_.groups_of_hosts) {
      std::vector<std::uint32_t>& own = partitions.emplace_back();
      for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
        own.push_back(given.at(hosts_.number(i)));
      }
    }
    FlowGraph graph(network_, hosts_);
    if (machine_.ranks.limit_rates()) {
      limited_ = std::make_unique<CutFamily>(network_, graph.with_ranks(machine_.ranks),
                                             machine_.ranks, partitions);
    }
    links_ = std::make_unique<CutFamily>(network_, std::move(graph), RankLimits(), partitions);
  }

  // A rank sends at most k messages at a time, and no message takes less than the least latency L.
  // A message that ends in the interval (jL, (j+1)L] began at jL or earlier, when its sender
  // already had what it sends, and was under way at jL. So at most k such messages come from each
  // rank, and the number of ranks that have data of one rank grows at most by the factor 1 + k in
  // each interval. For data that one rank needs from many, the same holds backwards in time. Hosts
  // with R ranks each are like ranks with k R ports for messages between hosts.
  [[nodiscard]] BoundPart rounds(const Needs& needs) const {
    const std::uint64_t ports = machine_.ranks.ports;
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
                             hosts_.least_latency_s()));
    }
    return best;
  }

  // A core works on one message after another, so a rank that has data sends them again only after
  // the time that the previous message held its core. For data that one rank needs from many, the
  // same holds backwards in time for the core of the receiver. A host with R ranks is like a rank
  // with R cores, whose messages to other hosts also leave with a gap.
  [[nodiscard]] BoundPart postal(const Needs& needs) const {
    const RankLimits& ranks = machine_.ranks;
    const auto gap_s = [&](double send_s, double receive_s) {
      switch (needs.direction()) {
        case Needs::Direction::from_one:
          return send_s;
        case Needs::Direction::to_one:
          return receive_s;
        case Needs::Direction::either:
          return std::min(send_s, receive_s);
        case Needs::Direction::both:
          return std::max(send_s, receive_s);
      }
      return 0.0;
    };
    const auto part = [](std::uint64_t units, bool of_hosts, std::uint64_t streams,
                         double startup_s, double least_gap_s) {
      BoundPart found;
      if (units > 1 && least_gap_s > 0 && std::isfinite(startup_s)) {
        found.form = Certificate::postal;
        found.of_hosts = of_hosts;
        found.amount = static_cast<double>(units);
        found.startup_s = startup_s;
        found.rate = static_cast<double>(streams) / least_gap_s;
        found.seconds = postal_time_s(units, streams, startup_s, least_gap_s);
      }
      return found;
    };
    const std::uint64_t units = std::uint64_t{needs.partners()} + 1;
    const double between_s = gap_s(ranks.send_s, ranks.receive_s);
    const double within_s = gap_s(ranks.own_send_s, ranks.own_receive_s);
    BoundPart best = part(units, false, 1, least_latency_s(),
                          most_ranks_ > 1 ? std::min(between_s, within_s) : between_s);
    const std::uint64_t hosts = (units + most_ranks_ - 1) / most_ranks_;
    take_longer(best, part(hosts, true, most_ranks_, hosts_.least_latency_s(), between_s));
    take_longer(best, part(hosts, true, 1, hosts_.least_latency_s(), gap_s(ranks.host_gap_s, 0)));
    return best;
  }

  // Returns the best bound of several latencies and bytes, for ranks and for hosts, which have the
  // ports of all their ranks.
  [[nodiscard]] BoundPart combined(const Needs& needs) const {
    PortUnits ranks;
    ranks.units = needs.ranks();
    ranks.ports = machine_.ranks.ports;
    ranks.all_ports = double{1} * machine_.ranks.ports * needs.ranks();
    ranks.latency_s = least_latency_s();
    PortUnits hosts = ranks;
    hosts.units = hosts_.size();
    hosts.ports *= most_ranks_;
    hosts.latency_s = hosts_.least_latency_s();
    std::uint32_t least_ranks = most_ranks_;
    for (const HostFigures& kind : hosts_.kinds()) {
      hosts.bytes_per_s = std::max(hosts.bytes_per_s, kind.send_bytes_per_s);
      ranks.bytes_per_s = std::max(
          {ranks.bytes_per_s, kind.send_bytes_per_s, kind.ranks > 1 ? kind.own_bytes_per_s : 0});
      least_ranks = std::min(least_ranks, kind.ranks);
    }
    BoundPart best = doubling_bound(needs, ranks);
    take_longer(best, allreduce_bound(ranks, needs.all_reduced()));
    const double piece = needs.piece_range().first;
    take_longer(best, exchange_bound(ranks, piece));
    take_longer(best, exchange_bound(hosts, piece * least_ranks * least_ranks));
    take_longer(best, spread(needs.copied(), true, ranks, hosts));
    take_longer(best, spread(needs.summed(), false, ranks, hosts));
    return best;
  }

  // Returns the bound for the rank with most data, if all others need them.
  [[nodiscard]] BoundPart spread(const std::vector<double>& by_rank, bool sends,
                                 const PortUnits& ranks, const PortUnits& hosts) const {
    if (by_rank.empty()) {
      return {};
    }
    const auto most = std::max_element(by_rank.begin(), by_rank.end());
    const auto rank = static_cast<Rank>(most - by_rank.begin());
    const std::uint32_t host = hosts_.host_of_rank()[rank];
    BoundPart best =
        spread_bound(Certificate::rank, ranks, *most, rank_bytes_per_s(host, sends), sends);
    best.rank = rank;
    if (limited_) {
      BoundPart of_host = spread_bound(Certificate::host, hosts, *most,
                                       limited_->capacity_around(host, sends), sends);
      of_host.hosts = {hosts_.number(host)};
      take_longer(best, std::move(of_host));
    }
    return best;
  }

  // Bytes per second that a rank of the host sends, or receives. Without ports, what it exchanges
  // with other hosts and within the host has two limits.
  [[nodiscard]] double rank_bytes_per_s(std::uint32_t host, bool sends) const {
    const HostFigures& figures = hosts_.of(host);
    const RankLimits& ranks = machine_.ranks;
    if (ranks.ports == 0) {
      const double own = sends ? figures.own_capacity_bytes_per_s
                               : std::min(figures.own_capacity_bytes_per_s, ranks.own_bytes_per_s);
      return ranks.bytes_per_s + (figures.ranks > 1 ? own : 0);
    }
    return ranks.ports * std::max(sends ? figures.send_bytes_per_s : figures.receive_bytes_per_s,
                                  figures.ranks > 1 ? figures.own_bytes_per_s : 0);
  }

  // Data can go from one host to another directly, or over other hosts. In the second case, they
  // need at least one message from the first host and one to the second.
  [[nodiscard]] double way_s(std::uint32_t level, std::uint32_t from_kind,
                             std::uint32_t to_kind) const {
    return std::min(
        hosts_.latency_s(level, from_kind, to_kind),
        hosts_.kinds()[from_kind].send_latency_s + hosts_.kinds()[to_kind].receive_latency_s);
  }
  [[nodiscard]] BoundPart farthest(const Needs& needs) const {
    const auto kinds = static_cast<std::uint32_t>(hosts_.kinds().size());
    std::vector<std::vector<Rank>> senders(kinds);
    std::vector<std::vector<Rank>> receivers(kinds);
    for (Rank rank = 0; rank < needs.ranks(); ++rank) {
      const std::uint32_t kind = hosts_.kind(hosts_.host_of_rank()[rank]);
      if (needs.sends(rank)) {
        senders[kind].push_back(rank);
      }
      if (needs.receives(rank)) {
        receivers[kind].push_back(rank);
      }
    }
    BoundPart best;
    for (std::uint32_t from = 0; from < kinds; ++from) {
      for (std::uint32_t to = 0; to < kinds; ++to) {
        for (std::uint32_t level = 0; level < hosts_.nested().levels(); ++level) {
          const double seconds = way_s(level, from, to);
          if (!(seconds > best.seconds)) {
            continue;
          }
          if (const auto pair = dependent_hosts(needs, level, senders[from], receivers[to])) {
            best.form = Certificate::route;
            best.startup_s = best.seconds = seconds;
            best.hosts = {hosts_.number(pair->first), hosts_.number(pair->second)};
          }
        }
      }
    }
    return best;
  }

  // Returns the hosts of a sender and a receiver that depends on it and is on another host; nothing
  // if there are none. `level` is the first partition with a group that has both hosts.
  [[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> dependent_hosts(
      const Needs& needs, std::uint32_t level, const std::vector<Rank>& senders,
      const std::vector<Rank>& receivers) const {
    const std::vector<std::uint32_t>& host_of_rank = hosts_.host_of_rank();
    for (const Rank from : senders) {
      for (const Rank to : receivers) {
        if (host_of_rank[from] != host_of_rank[to] &&
            hosts_.nested().level(host_of_rank[from], host_of_rank[to]) == level &&
            needs.depends(to, from)) {
          return std::pair(host_of_rank[from], host_of_rank[to]);
        }
      }
    }
    return std::nullopt;
  }

  // `cuts` is null if there is only one host.
  [[nodiscard]] BoundPart by_bytes(const Needs& needs, DataCuts* cuts, const RankLimits& ranks,
                                   BoundSearch search) const {
    BoundPart best;
    if (cuts != nullptr) {
      best = cuts->by_cuts(needs);
      take_longer(best, cuts->by_groups(needs, best));
    }
    take_longer(best, within_hosts(needs, cuts, ranks));
    if (cuts != nullptr) {
      take_longer(best, cuts->beyond_cuts(needs, best, search));
    }
    return best;
  }

  // Bytes per second between the ranks of a host.
  [[nodiscard]] static double own_capacity(const HostFigures& host, const RankLimits& ranks) {
    if (host.ranks < 2) {
      return 0;
    }
    const double of_ports =
        ranks.ports > 0 ? double{1} * ranks.ports * host.own_bytes_per_s : RankLimits::kNone;
    return std::min(host.own_capacity_bytes_per_s,
                    host.ranks * std::min(of_ports, ranks.own_bytes_per_s));
  }

  // Messages to the ranks of a host come from the host itself or cross the cut around it. The same
  // holds for all ranks together, and for messages from ranks.
  [[nodiscard]] BoundPart within_hosts(const Needs& needs, const DataCuts* cuts,
                                       const RankLimits& ranks) const {
    BoundPart best;
    if (needs.ranks() == hosts_.size()) {
      return best;
    }
    std::vector<std::uint32_t> each(needs.ranks());
    std::iota(each.begin(), each.end(), 0);
    const double all = needs.between(each, needs.ranks());
    for (const bool sends : {true, false}) {
      std::vector<double> bytes(hosts_.size(), 0);
      for (Rank rank = 0; rank < needs.ranks(); ++rank) {
        bytes[hosts_.host_of_rank()[rank]] += sends ? needs.sent(rank) : needs.received(rank);
      }
      double capacity = 0;
      for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
        const HostFigures& host = hosts_.of(i);
        const double own =
            own_capacity(host, ranks) + (cuts != nullptr ? cuts->capacity_around(i, sends) : 0);
        capacity += own;
        if (host.ranks > 1 && least_latency_s() + bytes[i] / own > best.seconds) {
          BoundPart part = rated_part(Certificate::host, least_latency_s(), bytes[i], own);
          part.hosts = {hosts_.number(i)};
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
      const HostFigures& host = hosts_.of(hosts_.host_of_rank()[rank]);
      const double own_s = host.ranks > 1 ? host.own_latency_s : kNever;
      for (const bool sends : {true, false}) {
        const double rate = rank_bytes_per_s(hosts_.host_of_rank()[rank], sends);
        const double startup_s =
            std::min(sends ? host.send_latency_s : host.receive_latency_s, own_s);
        const double bytes = sends ? needs.sent(rank) : needs.received(rank);
        if (startup_s + bytes / rate > best.seconds) {
          BoundPart part = rated_part(Certificate::rank, startup_s, bytes, rate);
          part.rank = rank;
          part.hosts_send = sends;
          take_longer(best, std::move(part));
        }
      }
    }
    return best;
  }

  Network& network_;
  BoundMachine machine_;
  HostsInUse hosts_;
  std::unique_ptr<DataCuts> links_;    // null if there is only one host
  std::unique_ptr<DataCuts> limited_;  // with ports; null if their number is unlimited
  double flops_per_s_ = 0;             // of all ranks together
  double own_latency_s_ = kNever;      // lowest latency of a message within a host
  std::uint32_t most_ranks_ = 1;       // on one host
  double longest_way_s_ = 0;           // between any two hosts
};

NetworkBounds::NetworkBounds(Network& network, BoundMachine machine)
    : inside_(std::make_unique<Inside>(network, std::move(machine))) {}
NetworkBounds::~NetworkBounds() = default;
NetworkBounds::NetworkBounds(NetworkBounds&&) noexcept = default;

NetworkBound NetworkBounds::of(const Problem& problem, BoundSearch search) {
  return inside_->bound(problem, search);
}

}}  // namespace tutti::cost_models
