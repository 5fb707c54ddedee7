#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "base/error.hpp"
#include "cost_models/bounds/flow_graph.hpp"
#include "cost_models/bounds/hosts_in_use.hpp"
#include "cost_models/bounds/network_bound.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/route_set.hpp"
#include "tests/platforms/random_clusters.hpp"
#include "tests/sanitized.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_alike_hosts {

namespace {

using namespace random_clusters;

std::uint64_t seed_of_platforms() {
  const char* seed = std::getenv("TUTTI_TEST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20261127;
}

// The same network, which does not say which hosts are alike.
class AllRoutes final : public Network {
 public:
  explicit AllRoutes(Network& network) : network_(network) { links_ = network.links(); }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override {
    return network_.host(index);
  }
  [[nodiscard]] std::uint32_t hosts() const override { return network_.hosts(); }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return network_.link_name(link);
  }

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t to) override {
    return network_.route(from, to);
  }

  Network& network_;
};

// The same network, which counts the routes that are looked up.
class CountedRoutes final : public Network {
 public:
  explicit CountedRoutes(Network& network) : network_(network) { links_ = network.links(); }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override {
    return network_.host(index);
  }
  [[nodiscard]] std::uint32_t hosts() const override { return network_.hosts(); }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return network_.link_name(link);
  }
  [[nodiscard]] std::vector<std::uint32_t> alike_hosts() const override {
    return network_.alike_hosts();
  }
  [[nodiscard]] std::vector<ExchangeableGroups> exchangeable_groups() const override {
    return network_.exchangeable_groups();
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t to) override {
    ++count_;
    return network_.route(from, to);
  }

  Network& network_;
  std::uint64_t count_ = 0;
};

void compare_graphs(Network& network, const std::vector<std::uint32_t>& host_of_rank) {
  AllRoutes all_routes(network);
  const HostsInUse quick_hosts(network, host_of_rank, false);
  const HostsInUse all_hosts(all_routes, host_of_rank, false);
  REQUIRE(quick_hosts.size() == all_hosts.size());
  REQUIRE(quick_hosts.host_of_rank() == all_hosts.host_of_rank());
  REQUIRE(quick_hosts.least_latency_s() == all_hosts.least_latency_s());
  bool same = true;
  for (std::uint32_t host = 0; host < all_hosts.size(); ++host) {
    const HostFigures& quick = quick_hosts.of(host);
    const HostFigures& all = all_hosts.of(host);
    same = same && quick_hosts.number(host) == all_hosts.number(host) && quick.ranks == all.ranks &&
           quick.send_bytes_per_s == all.send_bytes_per_s &&
           quick.receive_bytes_per_s == all.receive_bytes_per_s &&
           quick.own_bytes_per_s == all.own_bytes_per_s &&
           quick.own_capacity_bytes_per_s == all.own_capacity_bytes_per_s &&
           quick.own_latency_s == all.own_latency_s && quick.send_latency_s == all.send_latency_s &&
           quick.receive_latency_s == all.receive_latency_s;
    for (std::uint32_t other = 0; other < all_hosts.size(); ++other) {
      same = same && (other == host ||
                      quick_hosts.latency_s(quick_hosts.nested().level(host, other),
                                            quick_hosts.kind(host), quick_hosts.kind(other)) ==
                          all_hosts.latency_s(0, all_hosts.kind(host), all_hosts.kind(other)));
    }
  }
  REQUIRE(same);
  const FlowGraph quick(network, quick_hosts);
  const FlowGraph all(all_routes, all_hosts);
  REQUIRE(quick.vertices() == all.vertices());
  REQUIRE(std::equal(quick.edges().begin(), quick.edges().end(), all.edges().begin(),
                     all.edges().end(), [](const FlowEdge& a, const FlowEdge& b) {
                       return a.from == b.from && a.to == b.to && a.kind == b.kind &&
                              a.of == b.of && a.capacity_bytes_per_s == b.capacity_bytes_per_s;
                     }));
}

// Compares a network with a set of its routes, which finds alike hosts from the routes alone.
void compare_route_set(Network& network, const std::vector<std::uint32_t>& host_of_rank) {
  const bool own_routes = has_own_routes(network);
  auto set = route_set_of(
      network, [&](std::uint32_t from, std::uint32_t to) { return network.route(from, to); },
      std::vector<bool>(network.hosts(), own_routes), std::size_t{1} << 30U);
  REQUIRE(set);
  set->numbers.resize(network.hosts());
  std::iota(set->numbers.begin(), set->numbers.end(), 0);
  RouteSetNetwork copy(std::make_shared<const RouteSet>(*std::move(set)));
  bool same = true;
  for (std::uint32_t from = 0; from < network.hosts(); ++from) {
    for (std::uint32_t to = 0; to < network.hosts(); ++to) {
      if (from == to && !own_routes) {
        continue;
      }
      const NetworkRoute own = copy.route(from, to);
      const NetworkRoute right = network.route(from, to);
      same = same && std::ranges::equal(own.hops, right.hops) &&
             own.figures->latency_s == right.figures->latency_s &&
             own.figures->alone_bytes_per_s == right.figures->alone_bytes_per_s;
    }
  }
  REQUIRE(same);
  compare_graphs(copy, host_of_rank);
}

Problem random_problem(Random& random, Collective collective, std::uint32_t ranks) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.element_bytes = 8;
  problem.bytes = std::uint64_t{8} * random(1, 5) * (random(0, 1) == 0 ? ranks : 7);
  problem.root = has_root(collective) ? random(0, ranks - 1) : 0;
  const bool varies = collective == Collective::allgatherv || collective == Collective::gatherv ||
                      collective == Collective::scatterv || collective == Collective::alltoallv ||
                      collective == Collective::reduce_scatter;
  if (varies && random(0, 1) == 0) {
    const std::size_t blocks =
        collective == Collective::alltoallv ? std::size_t{ranks} * ranks : ranks;
    problem.bytes = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      problem.block_bytes.push_back(std::uint64_t{8} * random(0, 3));
      problem.bytes += problem.block_bytes.back();
    }
  }
  if (collective == Collective::barrier) {
    problem.bytes = 0;
  }
  return problem;
}

void compare_bounds(Random& random, Network& network,
                    const std::vector<std::uint32_t>& host_of_rank, double tolerance) {
  AllRoutes all_routes(network);
  BoundMachine machine;
  machine.host_of_rank = host_of_rank;
  machine.ranks.ports = random(0, 2);
  NetworkBounds quick(network, machine);
  NetworkBounds all(all_routes, machine);
  for (const Collective collective : kCollectives) {
    const Problem problem =
        random_problem(random, collective, static_cast<std::uint32_t>(host_of_rank.size()));
    const NetworkBound quick_bound = quick.of(problem);
    const NetworkBound all_bound = all.of(problem);
    for (const BoundPart& part : all_bound.parts) {
      INFO(name(collective) << ", kind " << name(part.kind));
      REQUIRE(quick_bound.of(part.kind).seconds ==
              Approx(part.seconds).epsilon(tolerance).margin(0));
    }
  }
}

// Places ranks on a random selection of the hosts, in random order.
std::vector<std::uint32_t> random_hosts(Random& random, Network& network) {
  std::vector<std::uint32_t> host_of_rank;
  const std::uint32_t hosts = network.hosts();
  const std::uint32_t most = has_own_routes(network) ? random(1, 4) : 1;
  const std::uint32_t every = random(1, 3);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    for (std::uint32_t i = random(0, every) == every ? 0 : random(1, most); i > 0; --i) {
      host_of_rank.push_back(host);
    }
  }
  for (std::size_t i = host_of_rank.size(); i > 1; --i) {
    std::swap(host_of_rank[i - 1], host_of_rank[random(0, static_cast<std::uint32_t>(i) - 1)]);
  }
  return host_of_rank.empty() ? std::vector<std::uint32_t>{0} : host_of_rank;
}

}  // namespace

TEST_CASE("the graph of alike hosts is that of all routes, on kept platforms") {
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/platforms")) {
    if (entry.path().extension() != ".xml") {
      continue;
    }
    INFO(entry.path());
    const auto platform = read_cluster_file(entry.path().string());
    REQUIRE(platform != nullptr);
    const auto network = platform->network(platform->host_count(), "hockney");
    const std::uint32_t most = has_own_routes(*network) ? 2 : 1;
    std::vector<std::uint32_t> host_of_rank;
    for (std::uint32_t host = 0; host < platform->host_count(); ++host) {
      host_of_rank.insert(host_of_rank.end(), 1 + host % most, host);
    }
    compare_graphs(*network, host_of_rank);
  }
}

TEST_CASE("the graph and the bounds of alike hosts are those of all routes, on random platforms") {
  const std::uint64_t seed = seed_of_platforms();
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  for (std::uint32_t i = 0; i < (kSanitized ? 60 : 480); ++i) {
    INFO("seed " << seed + i);
    Random random(seed + i);
    const ClusterPlatform platform = random_cluster(random, i % kKindsOfClusters);
    const auto network = platform.network(platform.host_count(), "hockney");
    const std::vector<std::uint32_t> host_of_rank = random_hosts(random, *network);
    compare_graphs(*network, host_of_rank);
    compare_route_set(*network, host_of_rank);
    if (host_of_rank.size() <= 24) {
      compare_bounds(random, *network, host_of_rank, 1e-9);
    }
  }
}

TEST_CASE("the bounds of 16,384 GPUs need few routes of each") {
  GpuPlatform gpus;
  gpus.nodes = 2048;
  gpus.unit = 32;
  gpus.inner_bytes_per_s = 370e9;
  gpus.inner_s = 1e-6;
  gpus.memory_bytes_per_s = 1e12;
  gpus.pcie_bytes_per_s = 64e9;
  gpus.card_bytes_per_s = 50e9;
  gpus.card_s = 5e-7;
  gpus.switch_s = 1.3e-7;
  gpus.trunk_bytes_per_s = 800e9;
  gpus.speed_flops_per_s = 279e9;
  const auto platform = read_cluster_text(to_xml(gpus), "gpus.xml");
  REQUIRE(platform != nullptr);
  const auto network = platform->network(gpus.hosts(), "hockney");
  CountedRoutes counted(*network);
  BoundMachine machine;
  machine.host_of_rank.resize(gpus.hosts());
  std::iota(machine.host_of_rank.begin(), machine.host_of_rank.end(), 0U);
  machine.ranks.ports = 0;
  machine.groups_of_hosts = {platform->leaf_of_hosts(), platform->group_of_hosts()};
  Problem problem;
  problem.collective = Collective::allreduce;
  problem.ranks = gpus.hosts();
  problem.bytes = 64U << 20U;
  const NetworkBound bound = NetworkBounds(counted, machine).of(problem);
  const BoundPart& bytes = bound.of(BoundKind::bytes);
  CHECK(bytes.groups == gpus.nodes);
  CHECK(bytes.seconds ==
        Approx(1.13e-6 + 2 * 2047.0 / 2048 * static_cast<double>(problem.bytes) / 400e9)
            .epsilon(1e-12)
            .margin(0));
  CHECK(counted.count() < 100ULL * gpus.hosts());
}

TEST_CASE("on one switch, the closed form gives the same bounds as max-flows") {
  for (std::uint32_t i = 0; i < 300; ++i) {
    INFO("seed " << i);
    Random random(i);
    Crossbar crossbar;
    crossbar.hosts = random(2, 12);
    crossbar.latency_s = 1e-7 * random(0, 5);
    crossbar.bandwidth_bytes_per_s = 1e9 * random(1, 9);
    CrossbarNetwork network(crossbar);
    compare_bounds(random, network, random_hosts(random, network), 1e-12);
  }
}

}  // namespace tutti::test_alike_hosts
