// Tests that maps of hosts which a cluster says to turn routes into routes do so, against all
// routes.
#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "platforms/images.hpp"
#include "tests/platforms/random_clusters.hpp"

namespace tutti::test_link_images {

namespace {

using random_clusters::Random;

// By host: its image. Hosts behind the last one have none.
using HostMap = std::vector<std::uint32_t>;

Images images_of(const HostMap& map) {
  Images images;
  for (std::uint32_t host = 0; host < map.size(); ++host) {
    REQUIRE(images.set(host, map[host]));
  }
  return images;
}

// Looks at all routes. Returns false if the map does not turn them into routes.
bool turns_routes(Network& network, const HostMap& map, Images& links) {
  const bool own_routes = random_clusters::has_own_routes(network);
  for (std::uint32_t from = 0; from < map.size(); ++from) {
    for (std::uint32_t to = 0; to < map.size(); ++to) {
      if (from == to && !own_routes) {
        continue;
      }
      const NetworkRoute route = network.route(from, to);
      const std::vector<Hop> hops(route.hops.begin(), route.hops.end());
      const RouteFigures figures = *route.figures;
      const NetworkRoute image = network.route(map[from], map[to]);
      if (figures.latency_s != image.figures->latency_s ||
          figures.alone_bytes_per_s != image.figures->alone_bytes_per_s ||
          figures.weight != image.figures->weight || hops.size() != image.hops.size()) {
        return false;
      }
      for (std::size_t i = 0; i < hops.size(); ++i) {
        const NetworkLink& one = network.links()[hops[i].link()];
        const NetworkLink& other = network.links()[image.hops[i].link()];
        if (hops[i].forward() != image.hops[i].forward() ||
            hops[i].backward() != image.hops[i].backward() ||
            one.capacity_bytes_per_s != other.capacity_bytes_per_s ||
            one.fatpipe != other.fatpipe || !links.set(hops[i].link(), image.hops[i].link())) {
          return false;
        }
      }
    }
  }
  return true;
}

// Rotations and exchanges of the hosts; rotations of all but the first ones, by as many hosts as
// stay in place; and exchanges of any two hosts.
std::vector<HostMap> maps_of(Random& random, std::uint32_t hosts) {
  std::vector<HostMap> maps;
  const auto add = [&](auto&& image_of) {
    HostMap& map = maps.emplace_back(hosts);
    for (std::uint32_t host = 0; host < hosts; ++host) {
      map[host] = image_of(host);
    }
  };
  for (std::uint32_t by = 1; by < hosts; ++by) {
    if (hosts % by == 0) {
      add([=](std::uint32_t host) { return (host + by) % hosts; });
      add([=](std::uint32_t host) { return host < by ? host : by + host % (hosts - by); });
    }
    if ((hosts & (hosts - 1)) == 0) {
      add([=](std::uint32_t host) { return host ^ by; });
    }
  }
  const std::uint32_t one = random(0, hosts - 1);
  const std::uint32_t other = random(0, hosts - 1);
  add([=](std::uint32_t host) { return host == one ? other : host == other ? one : host; });
  return maps;
}

}  // namespace

TEST_CASE("clusters only accept maps of hosts that turn every route into a route") {
  const char* given = std::getenv("TUTTI_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 20261130;
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  struct Counts {
    int known = 0;
    int all = 0;
    int refused = 0;
  };
  std::array<Counts, random_clusters::kKindsOfClusters> counts{};
  for (std::uint32_t i = 0; i < 900; ++i) {
    INFO("seed " << seed + i);
    Random random(seed + i);
    const std::uint32_t kind = i % random_clusters::kKindsOfClusters;
    const ClusterPlatform platform = random_clusters::random_cluster(random, kind);
    const std::uint32_t hosts =
        random(0, 3) == 0 ? random(1, platform.host_count()) : platform.host_count();
    const auto network = platform.network(hosts, random(0, 1) == 0 ? "hockney" : "lv08");
    for (const HostMap& map : maps_of(random, hosts)) {
      Images known;
      Images right;
      const bool is_known = network->map_links(images_of(map), known);
      const bool is_right = turns_routes(*network, map, right);
      INFO("kind " << kind << ", " << hosts << " hosts, host 0 to " << map[0]);
      REQUIRE((is_right || !is_known));
      counts[kind].known += is_known ? 1 : 0;
      counts[kind].all += is_right ? 1 : 0;
      counts[kind].refused += is_right ? 0 : 1;
      if (is_known) {
        bool same = true;
        for (std::uint32_t link = 0; link < right.all().size(); ++link) {
          same = same && (right.of(link) == Images::kNone || right.of(link) == known.of(link));
        }
        REQUIRE(same);
      }
    }
  }
  for (const Counts& count : counts) {
    INFO(count.known << " known of " << count.all << ", " << count.refused << " refused");
    CHECK(count.known > 20);
    CHECK(4 * count.known > count.all);
    CHECK(count.refused > 0);
  }
}

TEST_CASE("nodes of any number of GPUs are moved") {
  for (const std::uint32_t gpus : {1U, 6U, 8U, 18U}) {
    GpuPlatform made;
    made.nodes = 3;
    made.gpus = made.cards = gpus;
    made.inner_bytes_per_s = made.memory_bytes_per_s = made.pcie_bytes_per_s = 3e11;
    made.card_bytes_per_s = made.trunk_bytes_per_s = 5e10;
    made.inner_s = made.card_s = made.switch_s = 1e-6;
    made.speed_flops_per_s = 1e11;
    const auto platform = read_cluster_text(to_xml(made), "gpus.xml");
    const auto network = platform->network(made.hosts(), "hockney");
    HostMap map(made.hosts());
    for (std::uint32_t host = 0; host < map.size(); ++host) {
      map[host] = (host + gpus) % made.hosts();
    }
    Images links;
    INFO(gpus);
    CHECK(network->map_links(images_of(map), links));
  }
}

}  // namespace tutti::test_link_images
