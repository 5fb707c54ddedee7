#include "cost_models/bounds/star_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tutti { inline namespace cost_models {

bool StarCuts::fits(Network& network, const HostsInUse& hosts) {
  if (hosts.size() < 2 || !hosts.all_alike()) {
    return false;
  }
  const auto crosses_two_links = [&](std::uint32_t from, std::uint32_t to) {
    const auto hops = network.route(hosts.number(from), hosts.number(to)).hops;
    return hops.size() == 2 && hops[0].consumption(false) == 1 && hops[1].consumption(false) == 1;
  };
  for (std::uint32_t to = 1; to < hosts.size(); ++to) {
    if (!crosses_two_links(0, to)) {
      return false;
    }
  }
  // A link that carries both directions does not fit.
  const std::uint32_t last = network.route(hosts.number(0), hosts.number(1)).hops[1].link();
  return crosses_two_links(1, 0) &&
         network.route(hosts.number(1), hosts.number(0)).hops[0].link() != last;
}

StarCuts::StarCuts(Network& network, const HostsInUse& hosts, const RankLimits& ranks)
    : network_(network), hosts_(hosts), ranks_(ranks) {
  const auto hops = network.route(hosts.number(0), hosts.number(1)).hops;
  const auto capacity = [&](const Hop hop) {
    const NetworkLink& link = network.links()[hop.link()];
    return link.fatpipe || hosts.free_transfers() ? std::numeric_limits<double>::infinity()
                                                  : link.capacity_bytes_per_s;
  };
  up_bytes_per_s_ = capacity(hops[0]);
  down_bytes_per_s_ = capacity(hops[1]);
}

double StarCuts::capacity_around(std::uint32_t host, bool sends) const {
  return std::min(ranks_.of_host(hosts_.of(host), sends),
                  sends ? up_bytes_per_s_ : down_bytes_per_s_);
}

BoundLimit StarCuts::limit_of(std::uint32_t host, bool sends) const {
  BoundLimit limit;
  limit.capacity_bytes_per_s = capacity_around(host, sends);
  if (ranks_.of_host(hosts_.of(host), sends) < (sends ? up_bytes_per_s_ : down_bytes_per_s_)) {
    limit.kind = sends ? BoundLimit::Kind::send_ports : BoundLimit::Kind::receive_ports;
    limit.of = hosts_.number(host);
    return limit;
  }
  const std::uint32_t number = hosts_.number(host);
  const std::uint32_t other = hosts_.number(host == 0 ? 1 : 0);
  limit.of = sends ? network_.route(number, other).hops[0].link()
                   : network_.route(other, number).hops[1].link();
  return limit;
}

BoundPart StarCuts::by_cuts(const Needs& needs) {
  const GroupNeeds bytes = needs.of_groups(hosts_.host_of_rank(), hosts_.size());
  BoundPart best;
  double longest_s = 0;
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    for (const bool sends : {true, false}) {
      const double amount = sends ? bytes.sent[host] : bytes.received[host];
      const double rate = capacity_around(host, sends);
      if (amount / rate > longest_s * (1 + 1e-12)) {
        longest_s = amount / rate;
        best.hosts = {host};
        best.hosts_send = sends;
        best.amount = amount;
        best.rate = rate;
      }
    }
  }
  if (longest_s > 0) {
    best.form = Certificate::cut;
    best.startup_s = hosts_.least_latency_s();
    best.seconds = best.startup_s + longest_s;
    best.limits = {limit_of(best.hosts[0], best.hosts_send)};
    best.hosts[0] = hosts_.number(best.hosts[0]);
  }
  return best;
}

BoundPart StarCuts::by_groups(const Needs& needs, const BoundPart& known) {
  BoundPart best;
  const double bytes = needs.between(hosts_.host_of_rank(), hosts_.size());
  const double startup_s = hosts_.least_latency_s();
  double longest_s = known.seconds;
  for (const bool sends : {true, false}) {
    double rate = 0;
    for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
      rate += capacity_around(host, sends);
    }
    if (bytes / rate > 0 && startup_s + bytes / rate > longest_s * (1 + 1e-12)) {
      best.form = Certificate::groups;
      best.groups = hosts_.size();
      best.hosts_send = sends;
      best.startup_s = startup_s;
      best.amount = bytes;
      best.rate = rate;
      best.seconds = longest_s = startup_s + bytes / rate;
    }
  }
  if (best.form != Certificate::none) {
    best.limits.reserve(hosts_.size());
    for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
      best.limits.push_back(limit_of(host, best.hosts_send));
    }
  }
  return best;
}

}}  // namespace tutti::cost_models
