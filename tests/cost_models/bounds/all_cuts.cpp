#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "cost_models/bounds/cut_search.hpp"
#include "cost_models/bounds/flow_graph.hpp"
#include "cost_models/bounds/group_cuts.hpp"
#include "tests/cost_models/bounds/wired_network.hpp"

namespace tutti::test_all_cuts {

namespace {

std::uint64_t seed_of_networks() {
  const char* seed = std::getenv("TUTTI_TEST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20261127;
}

// Returns the capacity of the links that leave a set of vertices, or enter it.
template <typename Inside>
double capacity_of(const WiredNetwork& network, const std::vector<WiredNetwork::Wire>& wires,
                   bool backward, const Inside& inside) {
  double capacity = 0;
  for (const WiredNetwork::Wire& wire : wires) {
    if (inside(backward ? wire.to : wire.from) && !inside(backward ? wire.from : wire.to)) {
      capacity += network.links()[wire.link].capacity_bytes_per_s;
    }
  }
  return capacity;
}

// Returns the time of the tightest cut, by trying all sets of vertices.
template <typename BytesOut>
double longest_s(WiredNetwork& network, bool backward, const BytesOut& bytes_out) {
  const std::vector<WiredNetwork::Wire> wires = network.used_wires();
  double longest = 0;
  for (std::uint32_t set = 1; set + 1 < 1U << network.vertices(); ++set) {
    const auto inside = [set](std::uint32_t vertex) { return (set >> vertex & 1U) != 0; };
    const double capacity = capacity_of(network, wires, backward, inside);
    const double bytes = bytes_out(inside);
    if (bytes > 0 && capacity > 0) {
      longest = std::max(longest, bytes / capacity);
    }
  }
  return longest;
}

}  // namespace

TEST_CASE("the tightest cut is that of all sets of vertices, on random networks") {
  const std::uint64_t seed = seed_of_networks();
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    INFO("seed " << seed + i);
    std::mt19937_64 random(seed + i);
    const bool equal = i % 4 == 3;  // nodes, most of which have the same data
    const auto made =
        equal ? random_nodes(random, 2 + i / 4 % 2, 2) : random_wires(random, i % 2 != 0);
    WiredNetwork& network = *made;
    const std::uint32_t hosts = network.hosts();
    std::vector<std::uint32_t> host_of_rank(hosts);
    std::iota(host_of_rank.begin(), host_of_rank.end(), 0);
    const HostsInUse in_use(network, host_of_rank, false);
    const FlowGraph graph(network, in_use);
    const CutSearch search(graph);
    std::vector<double> bytes(hosts);
    for (double& each : bytes) {
      each = static_cast<double>((equal ? i / 8 % 2 : random() % 4) * 1000);
    }
    const auto root = static_cast<std::uint32_t>(random() % hosts);
    bytes[root] += 1000;
    for (const bool backward : {false, true}) {
      const Direction direction = backward ? Direction::backward : Direction::forward;
      const auto all = search.broadcast_cut(direction, bytes);
      const double all_s = longest_s(network, backward, [&](const auto& inside) {
        double sum = 0;
        bool outside = false;
        for (std::uint32_t host = 0; host < hosts; ++host) {
          sum += inside(host) ? bytes[host] : 0;
          outside |= !inside(host);
        }
        return outside ? sum : 0;
      });
      REQUIRE(all.has_value());
      REQUIRE(all->seconds() == Approx(all_s).epsilon(1e-9).margin(0));

      const auto parts = search.scatter_cut(direction, root, bytes);
      const double parts_s = longest_s(network, backward, [&](const auto& inside) {
        double sum = 0;
        for (std::uint32_t host = 0; host < hosts; ++host) {
          sum += inside(host) ? 0 : bytes[host];
        }
        return inside(root) ? sum : 0;
      });
      REQUIRE((parts ? parts->seconds() : 0) == Approx(parts_s).epsilon(1e-9).margin(0));
    }
  }
}

TEST_CASE("the cut around a group is the narrowest, and equal groups have equal cuts") {
  for (std::uint64_t i = 0; i < 300; ++i) {
    INFO("seed " << i);
    std::mt19937_64 random(i);
    const bool equal = i % 3 != 0;
    const auto made = equal ? random_nodes(random, 2 + i % 2, 2) : random_wires(random, i % 2 != 0);
    WiredNetwork& network = *made;
    std::vector<std::uint32_t> host_of_rank(network.hosts());
    std::iota(host_of_rank.begin(), host_of_rank.end(), 0);
    const HostsInUse in_use(network, host_of_rank, false);
    const FlowGraph graph(network, in_use);
    std::vector<std::uint32_t> group_of_host;
    for (std::uint32_t host = 0; host < network.hosts(); ++host) {
      group_of_host.push_back(equal      ? host / 2
                              : host < 2 ? host
                                         : static_cast<std::uint32_t>(random() % 2));
    }
    const std::uint32_t groups = *std::max_element(group_of_host.begin(), group_of_host.end()) + 1;
    const std::vector<WiredNetwork::Wire> wires = network.used_wires();
    const CutSearch search(graph);
    const HostGroups found = cuts_around_groups(graph, search, group_of_host, groups);
    const HostGroups quick = cuts_around_groups(graph, search, group_of_host, groups, 0);
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (const bool backward : {false, true}) {
        double narrowest = std::numeric_limits<double>::infinity();
        for (std::uint32_t set = 1; set + 1 < 1U << network.vertices(); ++set) {
          const auto inside = [set](std::uint32_t vertex) { return (set >> vertex & 1U) != 0; };
          bool around = true;
          for (std::uint32_t host = 0; host < network.hosts(); ++host) {
            around = around && inside(host) == (group_of_host[host] == group);
          }
          if (around) {
            narrowest = std::min(narrowest, capacity_of(network, wires, backward, inside));
          }
        }
        const HostCut& cut = (backward ? found.in : found.out)[group];
        REQUIRE(cut.capacity_bytes_per_s == Approx(narrowest).epsilon(1e-12).margin(0));
        double of_edges = 0;
        for (const std::uint32_t edge : cut.edges) {
          of_edges += graph.edges()[edge].capacity_bytes_per_s;
        }
        REQUIRE(of_edges == Approx(narrowest).epsilon(1e-12).margin(0));
        REQUIRE((backward ? quick.in : quick.out)[group].capacity_bytes_per_s >=
                narrowest * (1 - 1e-12));
      }
    }
  }
}

}  // namespace tutti::test_all_cuts
