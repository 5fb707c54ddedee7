// Tests that SimGrid loads generated platforms, and the platforms of this repository, with the
// expected number of hosts, latencies and bandwidths.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/dragonfly.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/single_switch.hpp"
#include "platforms/torus.hpp"
#include "sim/simgrid/isolated_run.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_loaded_by_simgrid {

namespace {

PlatformFacts load(const std::string& file, std::uint32_t ranks) {
  SimGridConfig config;
  config.platform.file = file;
  return describe_isolated(ranks, config).facts;
}

PlatformFacts load_xml(const std::string& xml, std::uint64_t hosts) {
  const ScratchFolder folder;  // not a shared file, because test cases run in parallel
  const std::string file = folder.path / "generated.xml";
  std::ofstream(file) << xml;
  return load(file, static_cast<std::uint32_t>(hosts));
}

LinkFigures figures() { return {.latency_s = 3.5e-7, .bandwidth_bytes_per_s = 25e9}; }

// Returns `value` with a tolerance for rounding, because SimGrid may add up the latencies of links
// in another order.
Approx near(double value) { return Approx(value).epsilon(1e-12); }

// A random platform: its XML, and the numbers of links of its shortest and longest routes.
struct RandomPlatform {
  std::string xml;
  std::uint64_t hosts = 0;
  double nearest_links = 0;
  double farthest_links = 0;
};

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()(std::uint32_t from, std::uint32_t to) {
    return from + static_cast<std::uint32_t>(engine_() % (to - from + 1));
  }

 private:
  // operator() does not use std::uniform_int_distribution, because its numbers are not portable.
  std::mt19937 engine_;
};

RandomPlatform random_fat_tree(Random& random) {
  FatTree tree;
  const std::uint32_t levels = random(1, 4);
  for (std::uint32_t level = 0; level < levels; ++level) {
    tree.down.push_back(random(random(0, 7) == 0 ? 0 : 1, 5));
    tree.up.push_back(random(1, 4));
    tree.cables.push_back(random(1, 3));
  }
  tree.link = figures();
  double nearest = 0;
  double farthest = 0;
  for (std::uint32_t level = 0; level < levels; ++level) {
    // No shortest or longest route turns around at a switch with only one child.
    if (tree.down[level] > 1) {
      nearest = nearest == 0 ? 2 * (level + 1) : nearest;
      farthest = 2 * (level + 1);
    }
  }
  return {to_xml(tree), hosts_of(tree), nearest, farthest};
}

RandomPlatform random_torus(Random& random) {
  Torus torus;
  const std::uint32_t dimensions = random(1, 4);
  std::uint64_t hosts = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    torus.dims.push_back(random(random(0, 7) == 0 ? 0 : 2, 6));
    hosts *= torus.dims.back();
  }
  torus.link = figures();
  return {to_xml(torus), hosts, 1, static_cast<double>(longest_route_links(torus))};
}

RandomPlatform random_mesh(Random& random) {
  Torus mesh;
  const std::uint32_t dimensions = random(1, 3);
  std::uint64_t hosts = 1;
  double farthest = 0;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    mesh.dims.push_back(random(random(0, 7) == 0 ? 0 : 2, 5));
    hosts *= mesh.dims.back();
    farthest += mesh.dims.back() - 1.0;
  }
  mesh.link = figures();
  return {mesh_to_xml(mesh), hosts, 1, farthest};
}

RandomPlatform random_dragonfly(Random& random) {
  Dragonfly d;
  d.groups = random(0, 5);
  d.chassis = random(1, 3);
  d.routers = random(1, 6);
  d.nodes = random(1, 4);
  d.group_cables = random(1, 9);
  d.chassis_cables = random(1, 3);
  d.router_cables = random(1, 3);
  d.link = figures();
  const double in_group = (d.routers > 1 ? 1 : 0) + (d.chassis > 1 ? 1 : 0);
  const double farthest = 2 + (d.groups > 1 ? 1 + 2 * in_group : in_group);
  const bool alone = d.routers * d.chassis == 1;
  const double nearest = d.nodes > 1 || (alone && d.groups == 1) ? 2 : 3;
  return {to_xml(d), std::uint64_t{d.groups} * d.chassis * d.routers * d.nodes, nearest, farthest};
}

RandomPlatform random_convenient(Random& random) {
  const std::uint32_t hosts = random(1, 300);
  if (random(0, 1) == 0) {
    FatTree tree = fat_tree_for(hosts, random(2, 40), random(1, 4));
    tree.link = figures();
    return {to_xml(tree), hosts, 2, static_cast<double>(longest_route_links(tree))};
  }
  Torus torus;
  torus.dims = torus_sides(hosts, random(1, 4));
  torus.link = figures();
  return {to_xml(torus), hosts, 1, static_cast<double>(longest_route_links(torus))};
}

}  // namespace

TEST_CASE("platforms in the repository load with their stated figures") {
  struct StatedFigures {
    const char* name;
    std::uint32_t hosts;
    double nearest_s;
    double farthest_s;
    double bandwidth_bytes_per_s;
  };
  const auto kept =
      GENERATE(values<StatedFigures>({{"crossbar_64", 64, 2e-6, 2e-6, 1.25e9},
                                      {"ethernet_1g_8", 8, 25e-6, 25e-6, 117.625e6},
                                      {"ethernet_1g_32", 32, 25e-6, 25e-6, 117.625e6},
                                      {"ethernet_10g_64", 64, 10e-6, 10e-6, 1.17625e9},
                                      {"infiniband_hdr_128", 128, 0.7e-6, 1.4e-6, 25e9},
                                      {"infiniband_hdr_128_thin", 128, 0.7e-6, 1.4e-6, 25e9},
                                      {"infiniband_hdr_1024", 1024, 0.7e-6, 2.1e-6, 25e9},
                                      {"infiniband_hdr_1024_thin", 1024, 0.7e-6, 2.1e-6, 25e9},
                                      {"slingshot_128", 128, 1e-6, 2.5e-6, 25e9},
                                      {"slingshot_1024", 1024, 1e-6, 2.5e-6, 25e9},
                                      {"torus_64", 64, 0.4e-6, 2.4e-6, 5e9},
                                      {"torus_512", 512, 0.25e-6, 3e-6, 5e9},
                                      {"smp_16x8", 16, 10e-6, 10e-6, 1.17625e9},
                                      {"smp_32x32", 32, 1e-6, 1e-6, 25e9}}));
  CAPTURE(kept.name);
  const PlatformFacts facts = load(source_dir() + "/platforms/" + kept.name + ".xml", kept.hosts);
  CHECK(facts.hosts == kept.hosts);
  // On platforms with more than 64 hosts, only a sample of the routes is inspected.
  CHECK(facts.latency_s <= kept.farthest_s * (1 + 1e-12));
  CHECK(facts.fastest_latency_s >= kept.nearest_s * (1 - 1e-12));
  if (kept.hosts <= 64) {
    CHECK(facts.latency_s == near(kept.farthest_s));
    CHECK(facts.fastest_latency_s == near(kept.nearest_s));
  }
  CHECK(facts.bandwidth_bytes_per_s == near(kept.bandwidth_bytes_per_s));
  CHECK(facts.speed_flops_per_s == 1e9);
}

TEST_CASE(
    "SimGrid loads random platforms as requested, or their parameters are refused in one line") {
  Random random(20240607);
  int loaded = 0;
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    RandomPlatform platform;
    try {
      switch (i % 5) {
        case 0:
          platform = random_fat_tree(random);
          break;
        case 1:
          platform = random_torus(random);
          break;
        case 2:
          platform = random_dragonfly(random);
          break;
        case 3:
          platform = random_mesh(random);
          break;
        default:
          platform = random_convenient(random);
          break;
      }
    } catch (const UserError& error) {
      CAPTURE(error.what());
      REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
      ++refused;
      continue;
    }
    CAPTURE(platform.xml);
    const PlatformFacts facts = load_xml(platform.xml, platform.hosts);
    ++loaded;
    REQUIRE(facts.hosts == platform.hosts);
    if (platform.hosts > 1 && platform.hosts <= 64) {
      REQUIRE(facts.bandwidth_bytes_per_s == 25e9);
      REQUIRE(facts.latency_s == near(platform.farthest_links * 3.5e-7));
      REQUIRE(facts.fastest_latency_s == near(platform.nearest_links * 3.5e-7));
    }
  }
  CHECK(loaded > 100);
  CHECK(refused > 20);
}

}  // namespace tutti::test_loaded_by_simgrid
