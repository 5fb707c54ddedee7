#include "platforms/simgrid/simgrid_network.hpp"

#include <fmt/format.h>
#include <simgrid/s4u.hpp>

#include <algorithm>

#include "base/error.hpp"
#include "base/field_names.hpp"

namespace tutti { inline namespace platforms {

namespace {

namespace s4u = simgrid::s4u;

constexpr std::size_t kTableUpToHosts = 2048;  // a table for this many hosts takes 16 MiB

}  // namespace

SimGridNetwork::SimGridNetwork(const SimGridPlatform& platform, const RankHosts& hosts,
                               const std::string& network_model)
    : platform_(platform),
      pricing_(route_pricing(network_model)),
      hosts_in_use_(hosts.hosts_in_use) {
  std::unordered_map<const s4u::Host*, std::uint32_t> index;
  host_of_rank_.reserve(hosts.host_of_rank.size());
  for (const s4u::Host* host : hosts.host_of_rank) {
    const auto [at, is_new] = index.try_emplace(host, static_cast<std::uint32_t>(hosts_.size()));
    if (is_new) {
      hosts_.push_back(host);
      if (!hosts.speed_factors.empty()) {
        speed_factors_.push_back(hosts.speed_factors[host_of_rank_.size()]);
      }
    }
    host_of_rank_.push_back(at->second);
  }
  if (hosts_.size() <= kTableUpToHosts) {
    table_hosts_ = hosts_.size();
    table_.assign(table_hosts_ * table_hosts_, kUnknown);
  }
}

NetworkHost SimGridNetwork::host(std::uint32_t index) const {
  const double factor = speed_factors_.empty() ? 1 : speed_factors_[index];
  return {hosts_[index]->get_speed() * factor,
          static_cast<std::uint32_t>(hosts_[index]->get_core_count())};
}

std::string SimGridNetwork::link_name(std::uint32_t link) const {
  return link_of_index_[link]->get_name();
}

LinkPlace SimGridNetwork::link_place(std::uint32_t link) {
  if (!use_) {
    use_.emplace(platform_, hosts_in_use_);
  }
  return use_->place_of(link_of_index_[link]);
}

NetworkRoute SimGridNetwork::find_route(std::uint32_t src_host, std::uint32_t dst_host) {
  if (!table_.empty()) {
    const std::uint32_t found = find(src_host, dst_host);
    table_[src_host * table_hosts_ + dst_host] = found;
    return known(found);
  }
  const auto [at, is_new] = map_.try_emplace(std::uint64_t{src_host} << 32U | dst_host, kUnknown);
  if (is_new) {
    at->second = find(src_host, dst_host);
  }
  return known(at->second);
}

NetworkRoute SimGridNetwork::route_once(std::uint32_t src_host, std::uint32_t dst_host) {
  const CachedRoute found = append_route(src_host, dst_host);
  hops_once_.assign(hops_.begin() + found.first_hop, hops_.end());
  hops_.resize(found.first_hop);
  return {found.figures, hops_once_};
}

std::uint32_t SimGridNetwork::find(std::uint32_t src_host, std::uint32_t dst_host) {
  routes_.push_back(append_route(src_host, dst_host));
  return static_cast<std::uint32_t>(routes_.size() - 1);
}

SimGridNetwork::CachedRoute SimGridNetwork::append_route(std::uint32_t src_host,
                                                         std::uint32_t dst_host) {
  const SimGridPlatform::Links there = platform_.links_between(hosts_[src_host], hosts_[dst_host]);
  SimGridPlatform::Links back;
  if (pricing_.acknowledgements) {
    back = platform_.links_between(hosts_[dst_host], hosts_[src_host]);
  }
  CachedRoute route;
  route.first_hop = static_cast<std::uint32_t>(hops_.size());
  append_hops(there.links, back.links);
  route.hops = static_cast<std::uint32_t>(hops_.size()) - route.first_hop;

  bandwidths_.clear();
  for (const s4u::Link* link : there.links) {
    bandwidths_.push_back(link->get_bandwidth());
  }
  route.figures =
      figures_.keep(route_figures(pricing_, there.latency_s, bandwidths_,
                                  {hops_.data() + route.first_hop, route.hops}, links_));
  return route;
}

void SimGridNetwork::append_hops(const std::vector<s4u::Link*>& links,
                                 const std::vector<s4u::Link*>& back) {
  const std::size_t first = hops_.size();
  const auto add = [&](const s4u::Link* link, std::uint32_t forward, std::uint32_t backward) {
    const std::uint32_t index = index_of(link);
    for (std::size_t i = first; i < hops_.size(); ++i) {
      if (hops_[i].link() == index) {
        const std::uint32_t there = hops_[i].forward() + forward;
        const std::uint32_t again = hops_[i].backward() + backward;
        if (std::max(there, again) > Hop::kMostCrossings) {
          throw UserError(fmt::format("{}: a route crosses link {} more than {} times",
                                      user_text(platform_.name()), user_text(link->get_name()),
                                      Hop::kMostCrossings));
        }
        hops_[i] = Hop(index, there, again);
        return;
      }
    }
    hops_.emplace_back(index, forward, backward);
  };
  for (const s4u::Link* link : links) {
    add(link, 1, 0);
  }
  for (const s4u::Link* link : back) {
    add(link, 0, 1);
  }
}

std::uint32_t SimGridNetwork::index_of(const s4u::Link* link) {
  const auto [at, is_new] =
      link_index_.try_emplace(link, static_cast<std::uint32_t>(links_.size()));
  if (is_new) {
    const s4u::Link::SharingPolicy policy = link->get_sharing_policy();
    if (policy != s4u::Link::SharingPolicy::SHARED && policy != s4u::Link::SharingPolicy::FATPIPE) {
      throw UserError(
          fmt::format("{}: the flow engine does not model link {}, which is neither shared nor a "
                      "fat pipe; use $engine=simgrid",
                      user_text(platform_.name()), user_text(link->get_name())));
    }
    TUTTI_INVARIANT(links_.size() < Hop::kMaxLinks);
    const bool fatpipe = policy == s4u::Link::SharingPolicy::FATPIPE;
    links_.push_back({link->get_bandwidth(), fatpipe});
    link_of_index_.push_back(link);
  }
  return at->second;
}

}}  // namespace tutti::platforms
