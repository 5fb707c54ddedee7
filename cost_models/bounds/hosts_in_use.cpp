#include "cost_models/bounds/hosts_in_use.hpp"

#include <algorithm>
#include <map>
#include <utility>

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
  find_kinds(network.alike_hosts(), ranks);
  add_routes(network);
  add_own_routes(network);
}

void HostsInUse::find_kinds(std::span<const std::uint32_t> alike_hosts,
                            std::span<const std::uint32_t> ranks_of_number) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
  kinds_.reserve(size());
  for (std::uint32_t host = 0; host < size(); ++host) {
    const std::uint32_t alike = alike_hosts[numbers_[host]];
    all_alike_ = all_alike_ && alike == alike_hosts[numbers_[0]];
    const std::uint32_t ranks = ranks_of_number[numbers_[host]];
    const auto next = static_cast<std::uint32_t>(figures_.size());
    const std::uint32_t kind = known.try_emplace({alike, ranks}, next).first->second;
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
  latencies_s_.assign(std::size_t{kinds} * kinds, 0);
  for (std::uint32_t from = 0; from < kinds; ++from) {
    HostFigures& source = figures_[from];
    for (std::uint32_t to = 0; to < kinds; ++to) {
      const std::uint32_t other = from == to ? seconds_[to] : firsts_[to];
      if (other == firsts_[from]) {
        continue;
      }
      const RouteFigures& route = *network.route(numbers_[firsts_[from]], numbers_[other]).figures;
      HostFigures& target = figures_[to];
      latencies_s_[std::size_t{from} * kinds + to] = route.latency_s;
      source.send_latency_s = std::min(source.send_latency_s, route.latency_s);
      target.receive_latency_s = std::min(target.receive_latency_s, route.latency_s);
      const double rate =
          free_transfers_ ? kFreeTransferRate : route.alone_bytes_per_s * route.efficiency;
      source.send_bytes_per_s = std::max(source.send_bytes_per_s, rate);
      target.receive_bytes_per_s = std::max(target.receive_bytes_per_s, rate);
    }
    least_latency_s_ = std::min(least_latency_s_, source.send_latency_s);
  }
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
