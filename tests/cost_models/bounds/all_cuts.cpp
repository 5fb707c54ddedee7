#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>

#include "cost_models/bounds/cut_search.hpp"
#include "cost_models/bounds/flow_graph.hpp"
#include "tests/cost_models/bounds/wired_network.hpp"

namespace tutti::test_all_cuts {

namespace {

std::uint64_t seed_of_networks() {
  const char* seed = std::getenv("TUTTI_TEST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20261127;
}

// Returns the time of the tightest cut, by trying all sets of vertices.
template <typename BytesOut>
double longest_s(const WiredNetwork& network, bool backward, const BytesOut& bytes_out) {
  double longest = 0;
  for (std::uint32_t set = 1; set + 1 < 1U << network.vertices(); ++set) {
    const auto inside = [set](std::uint32_t vertex) { return (set >> vertex & 1U) != 0; };
    double capacity = 0;
    for (const WiredNetwork::Wire& wire : network.wires()) {
      if (inside(backward ? wire.to : wire.from) && !inside(backward ? wire.from : wire.to)) {
        capacity += network.links()[wire.link].capacity_bytes_per_s;
      }
    }
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
    const auto made = random_wires(random, i % 2 != 0);
    WiredNetwork& network = *made;
    const std::uint32_t hosts = network.hosts();
    std::vector<std::uint32_t> host_of_rank(hosts);
    std::iota(host_of_rank.begin(), host_of_rank.end(), 0);
    const HostsInUse in_use(network, host_of_rank, false);
    const FlowGraph graph(network, in_use);
    std::vector<double> bytes(hosts);
    for (double& each : bytes) {
      each = static_cast<double>(random() % 4 * 1000);
    }
    const auto root = static_cast<std::uint32_t>(random() % hosts);
    bytes[root] += 1000;
    for (const bool backward : {false, true}) {
      CutSearch search(graph, backward ? Direction::backward : Direction::forward);
      const auto all = search.broadcast_cut(bytes);
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

      const auto parts = search.scatter_cut(root, bytes);
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

}  // namespace tutti::test_all_cuts
