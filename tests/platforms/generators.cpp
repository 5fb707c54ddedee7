// Tests the output and the errors of the platform generators, without SimGrid.
#include <catch2/catch.hpp>

#include <string>

#include "base/error.hpp"
#include "platforms/dragonfly.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/single_switch.hpp"
#include "platforms/torus.hpp"

namespace tutti::test_generators {
using Catch::Contains;

TEST_CASE("numbers are printed as short as possible") {
  CHECK(bandwidth_text(25e9) == "200Gbps");
  CHECK(bandwidth_text(117625000) == "941Mbps");
  CHECK(bandwidth_text(0.125) == "1bps");
  CHECK(latency_text(1e-6) == "1us");
  CHECK(latency_text(5e-7) == "500ns");
  CHECK(latency_text(25e-6) == "25us");
  CHECK(latency_text(1.0 / 3) == "0.3333333333333333s");
  CHECK(speed_text(1e9) == "1Gf");
}

TEST_CASE("a crossbar is written as complete XML") {
  SingleSwitch crossbar;
  crossbar.hosts = 4;
  crossbar.route.latency_s = 2e-6;
  crossbar.note = "From: nowhere --";
  CHECK(crossbar_to_xml(crossbar) == R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!--
  Crossbar: 4 hosts around one switch that never contends.
  Between any two hosts: 10Gbps and 2us (half of it on each of the two links).

  From: nowhere - -
-->
<platform version="4.1">
  <cluster id="crossbar" prefix="node-" suffix="" radical="0-3"
           speed="1Gf" core="1"
           bw="10Gbps" lat="1us" sharing_policy="SPLITDUPLEX"/>
</platform>
)");
}

TEST_CASE("SMP nodes get a loopback") {
  SingleSwitch smp;
  smp.hosts = 2;
  smp.node.cores = 8;
  const std::string xml = smp_to_xml(smp);
  CHECK_THAT(xml, Contains(R"(core="8")"));
  CHECK_THAT(xml, Contains(R"(loopback_bw="80Gbps" loopback_lat="300ns")"));
}

TEST_CASE("a fat tree generated for a number of hosts has the fewest switches") {
  const FatTree small = fat_tree_for(32, 40);
  CHECK(small.down == std::vector<std::uint32_t>{32});

  const FatTree full = fat_tree_for(128, 40);
  CHECK(full.down == std::vector<std::uint32_t>{16, 8});
  CHECK(full.up == std::vector<std::uint32_t>{1, 16});
  CHECK(full.cables == std::vector<std::uint32_t>{1, 1});
  CHECK_THAT(to_xml(full), Contains("Level 2: 16 switches, each with 8 cables down.") &&
                               Contains("Level 2 needs only 4 switches of 40 ports"));

  const FatTree large = fat_tree_for(1024, 40);
  CHECK(large.down == std::vector<std::uint32_t>{16, 16, 4});
  CHECK(large.up == std::vector<std::uint32_t>{1, 16, 16});
  CHECK(large.cables == std::vector<std::uint32_t>{1, 1, 1});
}

TEST_CASE("parallel cables become parent switches, with the same number of cables at each level") {
  FatTree tree;
  tree.down = {4, 4, 4};
  tree.up = {1, 2, 2};
  tree.cables = {1, 2, 3};
  const auto single = with_single_cables(tree);
  REQUIRE(single);
  CHECK(single->up == std::vector<std::uint32_t>{1, 4, 3});
  CHECK(single->cables == std::vector<std::uint32_t>{1, 1, 1});
  CHECK(with_single_cables(*single)->up == single->up);
  // Each middle switch would be split into two, with 1.5 cables up from each half.
  tree.up = {1, 2, 1};
  CHECK_FALSE(with_single_cables(tree));
}

TEST_CASE("a fat tree generated for a number of hosts respects its switch size and thinness") {
  for (std::uint32_t hosts = 1; hosts <= 400; ++hosts) {
    for (const std::uint32_t radix : {8U, 36U, 40U}) {
      for (const double thinness : {1.0, 2.0, 4.0}) {
        FatTree tree;
        try {
          tree = fat_tree_for(hosts, radix, thinness);
        } catch (const UserError&) {
          continue;
        }
        REQUIRE(hosts_of(tree) == hosts);
        REQUIRE(tree.cables == std::vector<std::uint32_t>(tree.down.size(), 1));
        const std::size_t levels = tree.down.size();
        for (std::size_t level = 0; level < levels; ++level) {
          const std::uint32_t down = tree.down[level];
          const std::uint32_t up = level + 1 < levels ? tree.up[level + 1] : 0;
          REQUIRE(down + up <= radix);
          if (level + 2 == levels) {
            REQUIRE(down == thinness * up);
          } else if (level + 2 < levels) {
            REQUIRE(down == up);
          }
        }
      }
    }
  }
}

TEST_CASE("a torus generated for a number of hosts is as cube-like as possible") {
  CHECK(torus_sides(512) == std::vector<std::uint32_t>{8, 8, 8});
  CHECK(torus_sides(128) == std::vector<std::uint32_t>{8, 4, 4});
  CHECK(torus_sides(64, 2) == std::vector<std::uint32_t>{8, 8});
  CHECK(torus_sides(7) == std::vector<std::uint32_t>{7});
  CHECK(torus_sides(12) == std::vector<std::uint32_t>{3, 2, 2});
}

TEST_CASE("a dragonfly generated for a number of hosts never has more groups than routers") {
  for (std::uint32_t hosts = 1; hosts <= 600; ++hosts) {
    try {
      const Dragonfly d = dragonfly_for(hosts);
      REQUIRE(std::uint64_t{d.groups} * d.routers * d.nodes == hosts);
      REQUIRE(d.groups <= d.routers);
      REQUIRE(d.groups >= 2);
      // The cables out of a group have at least the bandwidth of its hosts.
      REQUIRE(d.group_cables * (d.groups - 1) >= d.routers * d.nodes);
    } catch (const UserError&) {
    }
  }
}

TEST_CASE("impossible platforms are refused with a reason") {
  FatTree tree;
  tree.down = {16, 8};
  tree.up = {1};
  tree.cables = {1, 1};
  CHECK_THROWS_WITH(to_xml(tree), Contains("down 16,8 has 2 levels, but up 1 has 1 number"));
  tree.up = {1, 0};
  CHECK_THROWS_WITH(to_xml(tree), Contains("up 1,0 has a 0"));
  tree.up = {65536, 65536};
  CHECK_THROWS_WITH(to_xml(tree), Contains("more than 1048576 switches"));
  tree.down = {65536, 65536};
  CHECK_THROWS_WITH(to_xml(tree), Contains("more than 1048576 hosts"));

  Torus torus;
  CHECK_THROWS_WITH(to_xml(torus), Contains("the sides are missing"));
  torus.dims = {4, 0};
  CHECK_THROWS_WITH(to_xml(torus), Contains("contain 0"));

  Dragonfly dragonfly;
  dragonfly.groups = 3;
  dragonfly.routers = 2;
  CHECK_THROWS_WITH(to_xml(dragonfly), Contains("groups must not exceed routers"));
  dragonfly.routers = 65536;
  dragonfly.groups = 1;
  CHECK_THROWS_WITH(to_xml(dragonfly), Contains("all wired to each other"));

  SingleSwitch crossbar;
  crossbar.route.bandwidth_bytes_per_s = 0;
  CHECK_THROWS_WITH(crossbar_to_xml(crossbar), Contains("bandwidth (bw) is 0"));
  crossbar.route.bandwidth_bytes_per_s = 1e9;
  crossbar.note = "bell \a";
  CHECK_THROWS_WITH(crossbar_to_xml(crossbar), Contains("control character"));
}

}  // namespace tutti::test_generators
