#include "cost_models/bounds/hosts_in_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace cost_models {

namespace {

constexpr double kFreeTransferRate = std::numeric_limits<double>::infinity();

}  // namespace

HostsInUse::HostsInUse(Network& network, std::span<const std::uint32_t> host_of_rank,
                       bool free_transfers)
    : free_transfers_(free_transfers) {
  std::vector<std::uint32_t> ranks;  // by number of the host
  for (const std::uint32_t host : host_of_rank) {
    if (host >= ranks.size()) {
      ranks.resize(std::max(std::size_t{host} + 1, 2 * ranks.size()));
    }
    ++ranks[host];
  }
  std::vector<std::uint32_t> index(ranks.size());
  for (std::uint32_t number = 0; number < ranks.size(); ++number) {
    index[number] = size();
    if (ranks[number] > 0) {
      numbers_.push_back(number);
    }
  }
  host_of_rank_.reserve(host_of_rank.size());
  for (const std::uint32_t host : host_of_rank) {
    host_of_rank_.push_back(index[host]);
  }
  find_kinds(network, ranks);
  add_routes(network);
  add_own_routes(network);
}

void HostsInUse::find_kinds(const Network& network,
                            std::span<const std::uint32_t> ranks_of_number) {
  nested_ = NestedHosts(network.exchangeable_groups(), numbers_, ranks_of_number);
  std::vector<std::uint32_t> alike;
  if (has_groups()) {
    alike = nested_.orbits();
  } else {
    const std::vector<std::uint32_t> of_number = network.alike_hosts();
    for (const std::uint32_t number : numbers_) {
      alike.push_back(of_number[number]);
    }
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
  kinds_.reserve(size());
  all_alike_ = !has_groups();
  for (std::uint32_t host = 0; host < size(); ++host) {
    all_alike_ = all_alike_ && alike[host] == alike[0];
    const std::uint32_t ranks = ranks_of_number[numbers_[host]];
    const auto next = static_cast<std::uint32_t>(figures_.size());
    const std::uint32_t kind = known.try_emplace({alike[host], ranks}, next).first->second;
    kinds_.push_back(kind);
    if (kind == next) {
      figures_.emplace_back().ranks = ranks;
      firsts_.push_back(host);
      seconds_.push_back(host);
    } else if (seconds_[kind] == firsts_[kind]) {
      seconds_[kind] = host;
    }
  }
}

void HostsInUse::add_routes(Network& network) {
  const auto kinds = static_cast<std::uint32_t>(figures_.size());
  constexpr std::size_t kMostLatencies = 1U << 28U;  // 2 GiB
  if (std::size_t{nested_.levels()} * kinds * kinds > kMostLatencies) {
    throw UserError(
        fmt::format("bounds compare hosts in pairs, and the {} hosts in use are of {} "
                    "kinds, which are too many; place ranks in blocks, or use fewer",
                    size(), kinds));
  }
  latencies_s_.assign(std::size_t{nested_.levels()} * kinds * kinds, 0);
  for (std::uint32_t from = 0; from < kinds; ++from) {
    HostFigures& source = figures_[from];
    const auto add = [&](std::uint32_t other) {
      if (other == firsts_[from]) {
        return;
      }
      const std::uint32_t to = kinds_[other];
      const RouteFigures& route = *network.route(numbers_[firsts_[from]], numbers_[other]).figures;
      HostFigures& target = figures_[to];
      const std::size_t level = nested_.level(firsts_[from], other);
      latencies_s_[(level * kinds + from) * kinds + to] = route.latency_s;
      source.send_latency_s = std::min(source.send_latency_s, route.latency_s);
      target.receive_latency_s = std::min(target.receive_latency_s, route.latency_s);
      const double rate =
          free_transfers_ ? kFreeTransferRate : route.alone_bytes_per_s * route.efficiency;
      source.send_bytes_per_s = std::max(source.send_bytes_per_s, rate);
      target.receive_bytes_per_s = std::max(target.receive_bytes_per_s, rate);
    };
    if (has_groups()) {
      nested_.for_each_partner(firsts_[from], add);
    }
    for (std::uint32_t to = 0; !has_groups() && to < kinds; ++to) {
      add(from == to ? seconds_[to] : firsts_[to]);
    }
    least_latency_s_ = std::min(least_latency_s_, source.send_latency_s);
  }
  count_kinds();
}

void HostsInUse::count_kinds() {
  for (std::uint32_t level = 0; level < nested_.levels(); ++level) {
    std::vector<std::vector<KindCount>> by_group;
    for (std::uint32_t first = 0; first < size();) {
      const std::uint32_t end = nested_.hosts_of(level, nested_.group(level, first)).second;
      std::vector<std::uint32_t> kinds(kinds_.begin() + first, kinds_.begin() + end);
      std::sort(kinds.begin(), kinds.end());
      std::vector<KindCount>& counts = by_group.emplace_back();
      for (const std::uint32_t kind : kinds) {
        if (counts.empty() || counts.back().kind != kind) {
          counts.push_back({kind, 0});
        }
        ++counts.back().hosts;
      }
      first = end;
    }
    kinds_of_group_.push_back(std::move(by_group));
  }
}

double HostsInUse::least_latency_s(std::span<const std::uint32_t> hosts, bool hosts_send) const {
  double least_s = std::numeric_limits<double>::infinity();
  // By kind: other hosts than these, in a group but not in the group of the partition before.
  std::vector<std::int64_t> others(figures_.size(), 0);
  for (std::uint32_t level = 0; level < nested_.levels(); ++level) {
    const auto group_of = [&](std::size_t i) { return nested_.group(level, hosts[i]); };
    const auto part_of = [&](std::size_t i) {
      return level == 0 ? hosts[i] : nested_.group(level - 1, hosts[i]);
    };
    const auto add = [&](std::uint32_t of_level, std::uint32_t group, std::size_t i, int sign) {
      for (const KindCount& each : kinds_of_group_[of_level][group]) {
        others[each.kind] += sign * std::int64_t{each.hosts};
      }
      for (; i < hosts.size() && nested_.group(of_level, hosts[i]) == group; ++i) {
        others[kinds_[hosts[i]]] -= sign;
      }
    };
    for (std::size_t i = 0; i < hosts.size();) {
      const std::uint32_t group = group_of(i);
      std::fill(others.begin(), others.end(), 0);
      add(level, group, i, 1);
      while (i < hosts.size() && group_of(i) == group) {
        const std::uint32_t part = part_of(i);
        if (level > 0) {
          add(level - 1, part, i, -1);
        }
        const std::size_t first = i;
        for (; i < hosts.size() && part_of(i) == part; ++i) {
          for (const KindCount& each : kinds_of_group_[level][group]) {
            if (others[each.kind] > 0) {
              least_s =
                  std::min(least_s, hosts_send ? latency_s(level, kinds_[hosts[i]], each.kind)
                                               : latency_s(level, each.kind, kinds_[hosts[i]]));
            }
          }
        }
        if (level > 0) {
          add(level - 1, part, first, 1);
        }
      }
    }
  }
  return least_s;
}

void HostsInUse::add_own_routes(Network& network) {
  for (std::uint32_t kind = 0; kind < figures_.size(); ++kind) {
    HostFigures& host = figures_[kind];
    if (host.ranks < 2) {
      continue;
    }
    const std::uint32_t number = numbers_[firsts_[kind]];
    const NetworkRoute route = network.route(number, number);
    host.own_latency_s = route.figures->latency_s;
    host.own_bytes_per_s = free_transfers_
                               ? kFreeTransferRate
                               : route.figures->alone_bytes_per_s * route.figures->efficiency;
    for (const Hop hop : route.hops) {
      const NetworkLink& link = network.links()[hop.link()];
      if (!link.fatpipe && !free_transfers_) {
        host.own_capacity_bytes_per_s =
            std::min(host.own_capacity_bytes_per_s,
                     link.capacity_bytes_per_s / hop.consumption(link.fatpipe));
      }
    }
  }
}

}}  // namespace tutti::cost_models
