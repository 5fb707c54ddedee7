#include "sim/flow/used_routes.hpp"

#include <algorithm>

namespace tutti { inline namespace sim {

namespace {

// Returns one number for a pair of hosts, because numbers are cheap to sort.
std::uint64_t pair_of(std::uint32_t src, std::uint32_t dst) {
  return std::uint64_t{src} << 32U | dst;
}

void sort_once(std::vector<std::uint64_t>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Returns the pairs of hosts that exchange messages, without duplicates. Most ranks send to few
// other ranks, so duplicates are removed now and then, to keep the list short.
std::vector<std::uint64_t> pairs_in_use(const FlowSetup& setup, const Schedule& schedule) {
  std::vector<std::uint64_t> pairs;
  std::size_t thin_at = std::size_t{1} << 20U;
  for (const Op& op : schedule.ops()) {
    if (!op.is_comm() || op.bytes() == 0) {
      continue;
    }
    pairs.push_back(pair_of(setup.host_of_rank[op.src()], setup.host_of_rank[op.dst()]));
    if (pairs.size() == thin_at) {
      sort_once(pairs);
      thin_at = std::max(thin_at, 2 * pairs.size());
    }
  }
  sort_once(pairs);
  return pairs;
}

// Returns pairs of each host with some other hosts, in both directions. The other hosts are chosen
// such that they differ in their positions among the hosts of a switch. If there are few hosts,
// each host is paired with all others.
std::vector<std::uint64_t> pairs_beside(std::vector<std::uint32_t> hosts) {
  constexpr std::size_t kMostPairs = 150'000;
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  const std::size_t count = hosts.size();
  const std::size_t chosen = std::clamp<std::size_t>(kMostPairs / (2 * count), 1, count);
  std::vector<std::uint64_t> pairs;
  for (std::size_t i = 0; i < chosen; ++i) {
    const std::uint32_t other = hosts[(i * count / chosen + i) % count];
    for (const std::uint32_t host : hosts) {
      if (host != other) {
        pairs.push_back(pair_of(host, other));
        pairs.push_back(pair_of(other, host));
      }
    }
  }
  sort_once(pairs);
  return pairs;
}

RouteList routes_of(Network& network, const std::vector<std::uint64_t>& pairs) {
  RouteList list;
  list.src_host.reserve(pairs.size());
  list.dst_host.reserve(pairs.size());
  list.starts.reserve(pairs.size() + 1);
  for (const std::uint64_t pair : pairs) {
    const auto src = static_cast<std::uint32_t>(pair >> 32U);
    const auto dst = static_cast<std::uint32_t>(pair);
    list.src_host.push_back(src);
    list.dst_host.push_back(dst);
    for (const Hop hop : network.route(src, dst).hops) {
      if (hop.forward() > 0) {  // all other links carry only acknowledgements
        list.links.push_back(hop.link());
      }
    }
    list.starts.push_back(static_cast<std::uint32_t>(list.links.size()));
  }
  return list;
}

}  // namespace

UsedRoutes used_routes(Network& network, const FlowSetup& setup, const Schedule& schedule) {
  const auto first = setup.host_of_rank.begin();
  const std::vector<std::uint32_t> of_ranks(first, first + schedule.ranks());
  return {of_ranks, routes_of(network, pairs_in_use(setup, schedule)),
          routes_of(network, pairs_beside(of_ranks))};
}

}}  // namespace tutti::sim
