#include "sim/symmetry/quotient_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/large_array.hpp"

namespace tutti { inline namespace sim {

QuotientNetwork::QuotientNetwork(Network& network, const PlacesOfRanks& places,
                                 PlatformClasses& classes, const RankPart& part)
    : network_(network), real_(places) {
  TUTTI_INVARIANT(part.classes.count() == classes.ranks.count());
  TUTTI_INVARIANT(part.schedule.switches() == 0 || !places.above.empty());
  place_ranks(classes, part.schedule.switches());
  add_routes(classes, part);
}

std::string QuotientNetwork::link_name(std::uint32_t link) const {
  return fmt::format("the class of {}", network_.link_name(real_link_[link]));
}

LinkPlace QuotientNetwork::link_place(std::uint32_t link) {
  LinkPlace one = network_.link_place(real_link_[link]);
  return {"the class of " + one.name, std::move(one.group), one.parallel};
}

NetworkRoute QuotientNetwork::find_route(std::uint32_t, std::uint32_t) {
  throw InvariantError("classes of hosts have no routes of their own");
}

void QuotientNetwork::place_ranks(PlatformClasses& classes, std::uint32_t switches) {
  // Index in host_info_, by representative of a class of hosts.
  std::unordered_map<std::uint32_t, std::uint32_t> index;
  const std::uint32_t count = classes.ranks.count();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t real = real_.host[classes.ranks.first(i)];
    const auto [at, is_new] =
        index.try_emplace(classes.hosts.of(real), static_cast<std::uint32_t>(host_info_.size()));
    if (is_new) {
      host_info_.push_back(network_.host(real));
    }
    host_of_rank_.push_back(at->second);
  }
  // Ranks that receive messages compute nothing. They, and the switches, are placed on one
  // additional host, which is like the first, but has unlimited cores.
  const NetworkHost nowhere{host_info_.front().speed_flops_per_s,
                            std::numeric_limits<std::uint32_t>::max()};
  host_of_rank_.resize(2 * std::size_t{count} + switches,
                       static_cast<std::uint32_t>(host_info_.size()));
  host_info_.push_back(nowhere);
}

void QuotientNetwork::add_routes(PlatformClasses& classes, const RankPart& part) {
  // Index of the route, by the hosts of sender and receiver.
  std::unordered_map<std::uint64_t, std::uint32_t> known_routes;
  const Schedule& schedule = part.schedule;
  const std::uint32_t count = classes.ranks.count();
  reserve_large(route_of_op_, schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (!op.is_comm()) {
      route_of_op_.push_back(kUnknown);
      continue;
    }
    // A switch is that of the rank at the other end.
    const bool from_switch = op.src() >= schedule.ranks();
    const bool to_switch = op.dst() >= schedule.ranks();
    const Rank from = classes.ranks.first(from_switch ? op.dst() - count : op.src());
    const Rank to = to_switch ? from : part.targets[id];
    const std::uint32_t from_host = (from_switch ? real_.above : real_.host)[from];
    const std::uint32_t to_host = (to_switch ? real_.above : real_.host)[to];
    const auto [at, is_new] =
        known_routes.try_emplace(std::uint64_t{from_host} << 32U | to_host, kUnknown);
    if (is_new) {
      at->second = add_route(classes, from_host, to_host);
    }
    route_of_op_.push_back(at->second);
  }
}

std::uint32_t QuotientNetwork::add_route(PlatformClasses& classes, std::uint32_t from_host,
                                         std::uint32_t to_host) {
  const NetworkRoute real = network_.route(from_host, to_host);
  CachedRoute route;
  route.first_hop = static_cast<std::uint32_t>(hops_.size());
  RouteFigures figures = *real.figures;
  for (const Hop hop : real.hops) {
    const std::uint32_t link = link_of(classes, hop.link());
    const auto same = std::find_if(hops_.begin() + route.first_hop, hops_.end(),
                                   [link](Hop other) { return other.link() == link; });
    if (same == hops_.end()) {
      hops_.emplace_back(link, hop.forward(), hop.backward());
      continue;
    }
    const std::uint32_t forward = same->forward() + hop.forward();
    const std::uint32_t backward = same->backward() + hop.backward();
    TUTTI_INVARIANT(std::max(forward, backward) <= Hop::kMostCrossings);
    *same = Hop(link, forward, backward);
  }
  route.hops = static_cast<std::uint32_t>(hops_.size()) - route.first_hop;
  for (std::uint32_t i = route.first_hop; i < hops_.size(); ++i) {
    const NetworkLink& link = links_[hops_[i].link()];
    if (!link.fatpipe) {
      figures.alone_bytes_per_s = std::min(figures.alone_bytes_per_s,
                                           link.capacity_bytes_per_s / hops_[i].consumption(false));
    }
  }
  route.figures = kept(figures);
  routes_.push_back(route);
  alone_figures_.push_back(real.figures);
  return static_cast<std::uint32_t>(routes_.size() - 1);
}

std::uint32_t QuotientNetwork::link_of(PlatformClasses& classes, std::uint32_t link) {
  const std::uint32_t one = classes.links.of(link);
  if (one >= class_of_link_.size()) {
    class_of_link_.resize(std::max<std::size_t>(network_.links().size(), one + std::size_t{1}),
                          kUnknown);
  }
  if (class_of_link_[one] == kUnknown) {
    class_of_link_[one] = static_cast<std::uint32_t>(links_.size());
    NetworkLink info = network_.links()[link];
    if (!info.fatpipe) {
      info.capacity_bytes_per_s *=
          static_cast<double>(classes.links.size(one)) / static_cast<double>(classes.ranks.size());
    }
    links_.push_back(info);
    real_link_.push_back(link);
  }
  return class_of_link_[one];
}

const RouteFigures* QuotientNetwork::kept(const RouteFigures& figures) {
  const auto same = std::find_if(figures_.begin(), figures_.end(), [&](const RouteFigures& other) {
    return other.latency_s == figures.latency_s && other.weight == figures.weight &&
           other.cap_bytes_per_s == figures.cap_bytes_per_s &&
           other.alone_bytes_per_s == figures.alone_bytes_per_s &&
           other.efficiency == figures.efficiency;
  });
  return same != figures_.end() ? &*same : &figures_.emplace_back(figures);
}

}}  // namespace tutti::sim
