#include "src/simulation/groups_of_hosts.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace tutti { inline namespace simulation {

namespace {

using HostPartition = std::vector<std::uint32_t>;  // by number of the host

constexpr std::size_t kMostPartitions = 3;         // of one kind
constexpr std::uint64_t kMostPairs = 1ULL << 22U;  // of hosts in use

class Union {
 public:
  explicit Union(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t each) {
    while (parent_[each] != each) {
      each = parent_[each] = parent_[parent_[each]];
    }
    return each;
  }
  // Returns false if the two were together before.
  bool join(std::uint32_t one, std::uint32_t other) {
    const std::uint32_t from = find(one);
    parent_[from] = find(other);
    return parent_[from] != from;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

// Hosts that at most k links separate, and the hosts near these, are a group. In a network of nodes
// with several devices, the devices of a node are a group.
std::vector<HostPartition> groups_by_distance(Network& network,
                                              std::span<const std::uint32_t> hosts) {
  std::map<std::size_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> pairs;
  for (const std::uint32_t a : hosts) {
    for (const std::uint32_t b : hosts) {
      if (a < b) {
        pairs[network.route(a, b).hops.size()].emplace_back(a, b);
      }
    }
  }
  Union together(network.hosts());
  std::vector<HostPartition> found;
  std::size_t left = hosts.size();
  for (const auto& [distance, near] : pairs) {
    const std::size_t before = left;
    for (const auto& [a, b] : near) {
      left -= together.join(a, b) ? 1 : 0;
    }
    if (left == 1 || found.size() == kMostPartitions) {
      break;
    }
    if (left < before) {
      HostPartition& partition = found.emplace_back();
      std::vector<std::uint32_t> first(network.hosts(), network.hosts());
      for (std::uint32_t host = 0; host < network.hosts(); ++host) {
        std::uint32_t& own = first[together.find(host)];
        own = std::min(own, host);
        partition.push_back(own);
      }
    }
  }
  return found;
}

// The hosts at a router are a group: the routes between them have two links, the first of which
// ends at the router, where the second begins. A host may be at several routers, such as the switch
// of its node and the switch of its rail. Routers with equally many hosts and equal capacities form
// one partition.
std::vector<HostPartition> groups_by_router(Network& network,
                                            std::span<const std::uint32_t> hosts) {
  struct Pair {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t first_link;
    std::uint32_t last_link;
  };
  std::vector<Pair> pairs;
  for (const std::uint32_t from : hosts) {
    for (const std::uint32_t to : hosts) {
      const auto hops = from == to ? std::span<const Hop>() : network.route(from, to).hops;
      if (hops.size() == 2) {
        pairs.push_back({from, to, hops[0].link(), hops[1].link()});
      }
    }
  }
  // The end of a link has the number 2 * link, its start 2 * link + 1.
  Union junctions(2 * network.links().size());
  for (const Pair& pair : pairs) {
    junctions.join(2 * pair.first_link, 2 * pair.last_link + 1);
  }
  struct Router {
    std::set<std::uint32_t> hosts;
    std::set<double> capacities;
  };
  std::map<std::uint32_t, Router> routers;
  for (const Pair& pair : pairs) {
    Router& router = routers[junctions.find(2 * pair.first_link)];
    router.hosts.insert({pair.from, pair.to});
    for (const std::uint32_t link : {pair.first_link, pair.last_link}) {
      router.capacities.insert(network.links()[link].capacity_bytes_per_s);
    }
  }
  // Two directions between the same hosts, which no third host joins, are one router.
  std::map<std::set<std::uint32_t>, std::set<double>> capacities_of_hosts;
  for (const auto& [junction, router] : routers) {
    capacities_of_hosts[router.hosts].insert(router.capacities.begin(), router.capacities.end());
  }
  using Hosts = std::set<std::uint32_t>;
  std::map<std::pair<std::size_t, std::set<double>>, std::vector<const Hosts*>> alike;
  for (const auto& [members, capacities] : capacities_of_hosts) {
    alike[{members.size(), capacities}].push_back(&members);
  }
  std::vector<HostPartition> found;
  for (const auto& [kind, members] : alike) {
    HostPartition partition(network.hosts());
    std::iota(partition.begin(), partition.end(), 0U);
    std::set<std::uint32_t> seen;
    bool apart = true;
    for (const Hosts* const of_router : members) {
      for (const std::uint32_t host : *of_router) {
        apart = apart && seen.insert(host).second;
        partition[host] = *of_router->begin();
      }
    }
    if (apart && kind.first < hosts.size() && found.size() < kMostPartitions) {
      found.push_back(std::move(partition));
    }
  }
  return found;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> groups_of_hosts(const ClusterPlatform& cluster) {
  std::vector<std::vector<std::uint32_t>> found;
  for (std::vector<std::uint32_t> groups :
       {cluster.leaf_of_hosts(), cluster.group_of_hosts(), cluster.pod_of_hosts()}) {
    if (!groups.empty()) {
      found.push_back(std::move(groups));
    }
  }
  if (cluster.shape().kind != "fat_tree") {
    return found;
  }
  std::vector<std::uint32_t> above;
  for (std::uint32_t host = 0; host < cluster.host_count(); ++host) {
    above.push_back(cluster.switch_of_host(host));
  }
  while (cluster.next_above(above.front())) {
    for (std::uint32_t& each : above) {
      each = cluster.next_above(each).value();
    }
    found.push_back(above);
  }
  return found;
}

std::vector<std::vector<std::uint32_t>> groups_by_routes(Network& network,
                                                         std::vector<std::uint32_t> hosts) {
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  if (std::uint64_t{hosts.size()} * hosts.size() > kMostPairs) {
    return {};
  }
  std::vector<HostPartition> found = groups_by_distance(network, hosts);
  for (HostPartition& partition : groups_by_router(network, hosts)) {
    if (std::find(found.begin(), found.end(), partition) == found.end()) {
      found.push_back(std::move(partition));
    }
  }
  return found;
}

}}  // namespace tutti::simulation
