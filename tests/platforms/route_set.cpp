#include "platforms/route_set.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "platforms/cluster_file.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_route_set {

namespace {

constexpr std::size_t kEnough = std::size_t{1} << 30U;

std::unique_ptr<Network> network_of(const std::string& kept, const char* model = "hockney") {
  const auto platform = read_cluster_file(source_dir() + "/platforms/" + kept);
  REQUIRE(platform != nullptr);
  return platform->network(platform->host_count(), model);
}

std::optional<RouteSet> set_of(Network& network, bool own_routes, std::size_t most_bytes) {
  return route_set_of(
      network, [&](std::uint32_t from, std::uint32_t to) { return network.route(from, to); },
      std::vector<bool>(network.hosts(), own_routes), most_bytes);
}

// Returns the network of a set, whose hosts have the numbers first, first + step, ...
RouteSetNetwork numbered(RouteSet set, std::uint32_t first, std::uint32_t step) {
  for (std::uint32_t host = 0; host < set.hosts.size(); ++host) {
    set.numbers.push_back(first + step * host);
  }
  return RouteSetNetwork(std::make_shared<const RouteSet>(std::move(set)));
}

bool same_route(const NetworkRoute& a, const NetworkRoute& b) {
  return std::ranges::equal(a.hops, b.hops) && a.figures->latency_s == b.figures->latency_s &&
         a.figures->weight == b.figures->weight &&
         a.figures->cap_bytes_per_s == b.figures->cap_bytes_per_s &&
         a.figures->alone_bytes_per_s == b.figures->alone_bytes_per_s &&
         a.figures->efficiency == b.figures->efficiency;
}

}  // namespace

TEST_CASE("a set of routes has the routes, links and hosts of its network") {
  for (const char* const kept : {"smp_16x8.xml", "torus_64.xml", "slingshot_128.xml",
                                 "infiniband_hdr_128_thin.xml", "crossbar_64.xml"}) {
    for (const char* const model : {"hockney", "lv08"}) {
      INFO(kept << ", " << model);
      const auto network = network_of(kept, model);
      const bool own_routes = std::string(kept).starts_with("smp");
      RouteSetNetwork copy = numbered(set_of(*network, own_routes, kEnough).value(), 5, 2);
      REQUIRE(copy.hosts() == 5 + 2 * (network->hosts() - 1) + 1);
      REQUIRE(copy.links().size() == network->links().size());
      for (std::uint32_t link = 0; link < copy.links().size(); ++link) {
        REQUIRE(copy.link_name(link) == network->link_name(link));
        REQUIRE(copy.links()[link].fatpipe == network->links()[link].fatpipe);
        REQUIRE(copy.links()[link].capacity_bytes_per_s ==
                network->links()[link].capacity_bytes_per_s);
      }
      for (std::uint32_t from = 0; from < network->hosts(); ++from) {
        REQUIRE(copy.host(5 + 2 * from) == network->host(from));
        for (std::uint32_t to = 0; to < network->hosts(); ++to) {
          if (from != to || own_routes) {
            REQUIRE(same_route(copy.route(5 + 2 * from, 5 + 2 * to), network->route(from, to)));
          }
        }
      }
    }
  }
}

TEST_CASE("hosts with equivalent routes share them") {
  // 1024 hosts at 64 leaf switches: one row for each switch.
  const auto tree = network_of("infiniband_hdr_1024.xml");
  const RouteSet set = set_of(*tree, false, kEnough).value();
  CHECK(std::ranges::max(set.row_of_host) + 1 == 64);
  CHECK(set.bytes() < std::size_t{1024} * 1024 * sizeof(std::uint32_t) / 3);
  const auto star = network_of("crossbar_64.xml");
  const RouteSet of_star = set_of(*star, false, kEnough).value();
  CHECK(std::ranges::max(of_star.row_of_host) == 0);
  CHECK(of_star.forms.size() == 1);
  // Hosts of a torus share nothing, so that the limit on memory applies.
  const auto torus = network_of("torus_512.xml");
  CHECK_FALSE(set_of(*torus, false, std::size_t{1} << 20U));
}

TEST_CASE("a set of routes of one host has no routes but its own") {
  const auto network = network_of("smp_16x8.xml");
  const auto platform = read_cluster_file(source_dir() + "/platforms/smp_16x8.xml");
  const auto one = platform->network(1, "hockney");
  RouteSetNetwork copy = numbered(set_of(*one, true, kEnough).value(), 3, 1);
  CHECK(same_route(copy.route(3, 3), network->route(0, 0)));
  CHECK(copy.alike_hosts() == std::vector<std::uint32_t>{0, 1, 2, 3});
}

}  // namespace tutti::test_route_set
