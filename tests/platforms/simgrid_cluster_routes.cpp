// Compares the routes, links and hosts that tutti computes for clusters with SimGrid's.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster_file.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/grouped.hpp"
#include "platforms/simgrid/simgrid_platform.hpp"
#include "sim/isolated_process.hpp"
#include "tests/platforms/route_differences.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_simgrid_cluster_routes {

using namespace route_differences;

namespace {

std::string list(const std::vector<std::uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

struct Shape {
  std::string attributes;
  std::uint32_t hosts = 1;
};

Shape random_torus(Random& random) {
  Shape shape;
  std::vector<std::uint32_t> sides;
  for (std::uint32_t dims = random(1, 4); sides.size() < dims;) {
    sides.push_back(random(2, random(0, 1) == 0 ? 3 : 7));
    shape.hosts *= sides.back();
  }
  shape.attributes = fmt::format(R"(topology="TORUS" topo_parameters="{}")", list(sides));
  return shape;
}

Shape random_fat_tree(Random& random) {
  Shape shape;
  std::vector<std::uint32_t> down;
  std::vector<std::uint32_t> up;
  std::vector<std::uint32_t> parallel;
  const std::uint32_t levels = random(1, 4);
  const bool single = random(0, 1) == 0;
  while (down.size() < levels) {
    down.push_back(random(1, 5));
    up.push_back(random(1, 4));
    parallel.push_back(single ? 1 : random(1, 4));
    shape.hosts *= down.back();
  }
  shape.attributes = fmt::format(R"(topology="FAT_TREE" topo_parameters="{};{};{};{}")", levels,
                                 list(down), list(up), list(parallel));
  return shape;
}

Shape random_dragonfly(Random& random) {
  const std::uint32_t groups = random(1, 5);
  const std::uint32_t chassis = random(1, 4);
  const std::uint32_t routers = random(groups, 6);
  const std::uint32_t nodes = random(1, 3);
  return {fmt::format(R"(topology="DRAGONFLY" topo_parameters="{},{};{},{};{},{};{}")", groups,
                      random(1, 5), chassis, random(1, 5), routers, random(1, 5), nodes),
          groups * chassis * routers * nodes};
}

Shape random_star(Random& random) {
  Shape shape{"", random(1, 20)};
  if (random(0, 2) == 0) {
    shape.attributes = fmt::format(R"(bb_bw="{}GBps" bb_lat="{}us" bb_sharing_policy="{}")",
                                   random(1, 9), random(0, 9), random.one_of("SHARED", "FATPIPE"));
  }
  return shape;
}

// Returns a random value of the XML attribute `radical`, which lists the numbers of the hosts. They
// need not start at 0, nor ascend.
std::string random_radical(Random& random, std::uint32_t hosts) {
  if (random(0, 1) == 0) {
    return fmt::format("0-{}", hosts - 1);
  }
  const std::uint32_t first = random(1, hosts);
  std::string text = fmt::format("{}-{}", 1000, 1000 + first - 1);
  return first == hosts ? text : fmt::format("{},{}-{}", text, 7, 7 + hosts - first - 1);
}

std::string random_cluster(Random& random) {
  Shape shape;
  switch (random(0, 3)) {
    case 0:
      shape = random_torus(random);
      break;
    case 1:
      shape = random_fat_tree(random);
      break;
    case 2:
      shape = random_dragonfly(random);
      break;
    default:
      shape = random_star(random);
  }
  std::string more;
  if (random(0, 1) == 0) {
    more = fmt::format(R"( sharing_policy="{}")", random.one_of("SHARED", "SPLITDUPLEX"));
  }
  if (random(0, 1) == 0) {
    more += fmt::format(R"( loopback_bw="{}GBps")", random(1, 90));
    more += random(0, 1) == 0 ? fmt::format(R"( loopback_lat="{}ns")", random(0, 90)) : "";
  }
  if (random(0, 1) == 0) {
    more += fmt::format(R"( core="{}")", random(1, 32));
  }
  std::string element = fmt::format(
      R"(<cluster id="{}" prefix="{}" suffix="{}" radical="{}" speed="{}.{}{}" bw="{}.{}{}" lat="{}{}" {}{}/>)",
      random.one_of("c", "a-loopback", "c.7"), random.one_of("node-", "", "n"),
      random.one_of("", ".here", "x"), random_radical(random, shape.hosts), random(1, 99),
      random(0, 99), random.one_of("Gf", "Mf", "f", "kf"), random(1, 999), random(0, 999),
      random.one_of("Gbps", "MBps", "kbps", "Bps", "MiBps", "Gibps"), random(0, 999),
      random.one_of("us", "ns", "ms", "s", "ps", "m"), shape.attributes, more);
  // The cluster may be the only child of zones.
  for (std::uint32_t zones = random(0, 2); zones > 0; --zones) {
    element = fmt::format(R"(<zone id="zone {}" routing="{}">{}</zone>)", zones,
                          random.one_of("Full", "Floyd", "Dijkstra"), element);
  }
  return in_platform(element);
}

// Returns a platform with groups of different sizes, in which the leaf switches have different
// numbers of hosts. The numbers in some host names have leading zeros.
GroupedPlatform random_groups(Random& random) {
  GroupedPlatform platform;
  platform.kind = "random";
  const auto figures = [&random] {
    return LinkFigures{1e-9 * random(1, 2000), 1e8 * random(1, 999)};
  };
  std::uint32_t host = random(0, 3);
  const std::uint32_t groups = random(1, 5);
  for (std::uint32_t group = 0; group < groups; ++group) {
    platform.groups.push_back({fmt::format("{}", 7 * group), {}});
    const std::uint32_t leaves = random(1, 4);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      LeafOfHosts of_hosts{fmt::format("{}.b", leaf), {}};
      for (std::uint32_t count = random(1, 4); count > 0; --count) {
        host += random(1, 2);
        of_hosts.hosts.push_back(fmt::format("h{:02}", host));
      }
      platform.groups.back().leaves.push_back(std::move(of_hosts));
    }
  }
  platform.cable = figures();
  platform.trunk = figures();
  const std::uint32_t between = random(0, 2);
  if (between != 0) {
    platform.pair = figures();
  }
  if (between != 1) {
    platform.out = figures();
  }
  platform.node.cores = random(1, 4);
  return platform;
}

}  // namespace

TEST_CASE("routes of random clusters equal SimGrid's, link by link") {
  Random random(20261122);
  for (int i = 0; i < 200; ++i) {
    const std::string xml = random_cluster(random);
    CAPTURE(i, xml);
    PriceOverrides prices;
    if (i % 4 == 1) {
      prices = {.alpha_s = 3e-6, .beta_s_per_byte = 7e-10, .gamma_s_per_byte = 1e-10};
    } else if (i % 4 == 2) {
      prices = {.alpha_s = {}, .beta_s_per_byte = 0, .gamma_s_per_byte = {}};
    }
    const std::string refusal = message_of(
        [&] { REQUIRE(difference(xml, static_cast<std::uint32_t>(i), {prices}) == ""); });
    // If alpha is given, but the platform has no latency to scale, tutti and SimGrid refuse the
    // platform with the same error. difference() asks tutti first, and throws tutti's error.
    if (!refusal.empty()) {
      CHECK(refusal.find("cannot be scaled") != std::string::npos);
    }
  }
}

TEST_CASE("routes of random groups of leaf switches equal SimGrid's, link by link") {
  Random random(20261123);
  for (int i = 0; i < 60; ++i) {
    const std::string xml = to_xml(random_groups(random));
    CAPTURE(i, xml);
    PriceOverrides prices;
    if (i % 3 == 1) {
      prices = {.alpha_s = 3e-6, .beta_s_per_byte = 7e-10, .gamma_s_per_byte = 1e-10};
    }
    REQUIRE(difference(xml, static_cast<std::uint32_t>(i), {prices}) == "");
  }
}

TEST_CASE("routes of the platforms in the repository equal SimGrid's") {
  for (const char* name :
       {"crossbar_64", "ethernet_1g_8", "ethernet_1g_32", "ethernet_10g_64", "infiniband_hdr_128",
        "infiniband_hdr_128_thin", "infiniband_hdr_1024", "infiniband_hdr_1024_thin",
        "slingshot_128", "slingshot_1024", "torus_64", "torus_512", "smp_16x8", "smp_32x32"}) {
    CAPTURE(name);
    std::ifstream file(fmt::format("{}/platforms/{}.xml", source_dir(), name));
    const std::string xml(std::istreambuf_iterator<char>(file), {});
    CHECK(difference(xml, 1, {}) == "");
  }
}

TEST_CASE("routes of the supercomputers equal SimGrid's") {
  for (const char* name : {"leonardo", "lumi", "mare_nostrum"}) {
    CAPTURE(name);
    std::ifstream file(
        fmt::format("{}/examples/supercomputers/platforms/{}.xml", source_dir(), name));
    const std::string xml(std::istreambuf_iterator<char>(file), {});
    CHECK(difference(xml, 1, {}) == "");
  }
}

TEST_CASE("platforms that do not quite have the form of groups are left to SimGrid") {
  GroupedPlatform platform;
  platform.kind = "small";
  platform.groups = numbered_groups("small", 2, 2, 2);
  platform.groups[0].leaves[0].hosts = {"a08", "a09"};
  platform.groups[0].leaves[1].hosts = {"b9", "b10", "b011"};
  platform.pair = LinkFigures();
  platform.out = LinkFigures();
  const std::string xml = to_xml(platform);
  const auto read_with = [&xml](const std::string& from, const std::string& to) {
    std::string changed = xml;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    return read_cluster_text(changed.replace(at, from.size(), to), "p.xml") != nullptr;
  };
  CHECK(read_with("radical=\"8-9\"", "radical=\"8-9,11\""));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"id=\"world\" routing=\"Full\"", "id=\"world\" routing=\"Floyd\""},
           {"id=\"group-0\" routing=\"Floyd\"", "id=\"group-0\" routing=\"Dijkstra\""},
           {"<router id=\"group-0_spines\"/>", ""},
           {"<router id=\"group-0_spines\"/>", "<router id=\"group-1_spines\"/>"},
           {"<host id=\"b10\"", "<host id=\"b9\""},
           {"<host id=\"b10\" speed=\"1Gf\"", "<host id=\"b10\" speed=\"2Gf\""},
           {"<link id=\"b10_link\" bandwidth=\"10Gbps\"",
            "<link id=\"b10_link\" bandwidth=\"1Gbps\""},
           {"direction=\"UP\"", "direction=\"DOWN\""},
           {"<link_ctn id=\"b10_link\" direction=\"DOWN\"/>", "<link_ctn id=\"b10_link\"/>"},
           {"<link_ctn id=\"b10_link_loopback\"/>", "<link_ctn id=\"b9_link_loopback\"/>"},
           {"id=\"group-0_group-1\" direction=\"UP\"", "id=\"group-0_out\" direction=\"UP\""},
           {"gw_src=\"group-0_spines\" gw_dst=\"group-1_spines\"",
            "gw_src=\"group-0_spines\" gw_dst=\"group-0_spines\""},
           {"symmetrical=\"NO\"", "symmetrical=\"YES\""},
           {"sharing_policy=\"SPLITDUPLEX\"", "sharing_policy=\"SHARED\""},
           {"<link id=\"group-0_group-1\"", "<link id=\"unused\""},
           {"router_id=\"group-0_leaf-0_switch\"", "router_id=\"b9\""}}) {
    CAPTURE(from, to);
    CHECK_FALSE(read_with(from, to));
  }
}

TEST_CASE("ranks that share hosts of a cluster get the same notes as with SimGrid") {
  for (const char* attributes :
       {"", R"(loopback_bw="10GBps" loopback_lat="1us")", R"(sharing_policy="SHARED")",
        R"(topology="TORUS" topo_parameters="4")",
        R"(topology="FAT_TREE" topo_parameters="1;4;1;1")",
        R"(topology="DRAGONFLY" topo_parameters="1,1;1,1;2,1;2")"}) {
    for (const char* id : {"c", "my-loopback"}) {
      CAPTURE(attributes, id);
      const ScratchFolder folder;
      const std::string file = folder.path / "shared_hosts.xml";
      std::ofstream(file) << in_platform(
          fmt::format(R"(<cluster id="{}" prefix="n" suffix="" radical="0-3" speed="1Gf" core="2")"
                      R"( bw="1GBps" lat="1us" {}/>)",
                      id, attributes));
      const std::string apart =
          run_in_child([&](ParentLink&) {
            ClusterPlatform own = *read_cluster_file(file);
            SimGridPlatform simgrid({.file = file, .crossbar = {}}, "hockney");
            const Mapping mapping{5, 2, Placement::block};
            const auto notes = [&](auto&& place) {
              std::string text;
              const std::string refusal = message_of([&] { text = place(); });
              return refusal + text;
            };
            Differences differences;
            differences.look(notes([&] {
                               const PlatformFacts facts = place_ranks(own, mapping, {}, 8).facts;
                               return fmt::format("{} {}", facts.notes, facts.latency_s);
                             }),
                             notes([&] {
                               const PlatformFacts facts = simgrid.place(mapping, {}, 8).facts;
                               return fmt::format("{} {}", facts.notes, facts.latency_s);
                             }),
                             "two ranks on one host");
            return differences.text();
          }).bytes;
      CHECK(apart == "");
    }
  }
}

TEST_CASE("platforms that are not plainly one cluster are left to SimGrid") {
  const auto read = [](const std::string& elements) {
    return read_cluster_text(in_platform(elements), "p.xml") != nullptr;
  };
  const auto cluster = [](const std::string& more, const std::string& bw = "1GBps",
                          const std::string& radical = "0-7", const std::string& id = "c") {
    return fmt::format(R"(<cluster id="{}" prefix="n" suffix="" radical="{}" speed="1Gf" bw="{}")"
                       R"( lat="1us" {}/>)",
                       id, radical, bw, more);
  };
  CHECK(read(cluster("")));
  CHECK(read(cluster(R"(topology="TORUS" topo_parameters="4,2")")));
  CHECK(read(cluster(R"(topology="FAT_TREE" topo_parameters="2;4,2;1,2;1,1")")));
  CHECK(read(cluster(R"(topology="DRAGONFLY" topo_parameters="2,1;1,1;2,1;2")")));

  CHECK_FALSE(read(cluster("") + cluster("")));
  const auto in_zone = [](const std::string& id, const std::string& elements,
                          const char* routing = "Full") {
    return fmt::format(R"(<zone id="{}" routing="{}">{}</zone>)", id, routing, elements);
  };
  CHECK(read(in_zone("y", in_zone("z", cluster(""), "Floyd"), "Dijkstra")));
  CHECK_FALSE(read(in_zone("z", in_zone("z", cluster("")))));
  CHECK_FALSE(read(in_zone("c", cluster(""))));
  CHECK_FALSE(read(in_zone("n3", cluster(""))));
  CHECK_FALSE(read(in_zone("z", cluster(""), "Vivaldi")));
  CHECK_FALSE(read(in_zone("z", cluster("") + R"(<host id="h" speed="1Gf"/>)")));
  CHECK_FALSE(read(in_zone("z", cluster("")) + in_zone("y", cluster("", "1GBps", "8-9", "d"))));
  CHECK_FALSE(
      read("<config><prop id=\"network/crosstraffic\" value=\"1\"/></config>" + cluster("")));
  CHECK_FALSE(read(R"(<cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="1GBps")"
                   R"( lat="1us"><prop id="a" value="b"/></cluster>)"));
  CHECK_FALSE(
      read(R"(<cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" lat="1us"/>)"));
  for (const char* more : {R"(limiter_link="1GBps")",
                           R"(router_id="r")",
                           R"(sharing_policy="FULLDUPLEX")",
                           R"(sharing_policy="FATPIPE")",
                           R"(core="0")",
                           R"(core="two")",
                           R"(unknown="1")",
                           R"(topology="TORUS" topo_parameters="4,3")",
                           R"(topology="TORUS" topo_parameters="8,1")",
                           R"(topology="TORUS" topo_parameters="4, 2")",
                           R"(topology="TORUS")",
                           R"(topology="FAT_TREE" topo_parameters="2;4,2;1,2;1")",
                           R"(topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1")",
                           R"(topology="FAT_TREE" topo_parameters="2;4,2;1,0;1,1")",
                           R"(topology="DRAGONFLY" topo_parameters="4,1;1,1;2,1;1")",
                           R"(topology="DRAGONFLY" topo_parameters="2,1;1,1;2,1;3")",
                           R"(topology="RING" topo_parameters="8")",
                           R"(topo_parameters="8")",
                           R"(topology="TORUS" topo_parameters="4,2" bb_bw="1GBps")",
                           R"(loopback_lat="1us")",
                           R"(loopback_bw="1")",
                           R"(bb_bw="1GBps" bb_sharing_policy="SPLITDUPLEX")"}) {
    CAPTURE(more);
    CHECK_FALSE(read(cluster(more)));
  }
  for (const char* bw : {"1", "GBps", "1 GBps", "1GBps,2GBps", "1e999GBps", "-1GBps", "1gbps"}) {
    CAPTURE(bw);
    CHECK_FALSE(read(cluster("", bw)));
  }
  for (const char* radical : {"0-", "7-0", "0-7,3", "a-b", "0--7", "0-4294967296", "", "0-7,"}) {
    CAPTURE(radical);
    CHECK_FALSE(read(cluster("", "1GBps", radical)));
  }
  CHECK_FALSE(read(cluster("", "1GBps", "0-7", "n3")));  // n3 also names a host
  CHECK(read_cluster_text("<platform version=\"4\">" + cluster("") + "</platform>", "p.xml") ==
        nullptr);
  CHECK(read_cluster_file("there_is_no_such_file.xml") == nullptr);
}

TEST_CASE("a fat tree of 10,000 hosts is loaded, and its routes found, without SimGrid") {
  const ScratchFolder folder;
  const std::string file = folder.path / "large_fat_tree.xml";
  FatTree tree;
  tree.down = {20, 25, 20};
  tree.up = {1, 20, 25};
  tree.cables = {1, 1, 1};
  std::ofstream(file) << to_xml(tree);
  const auto platform = read_cluster_file(file);
  REQUIRE(platform != nullptr);
  CHECK(platform->host_count() == 10000);
  ClusterPlatform own = *platform;
  CHECK(place_ranks(own, {10000, 1, Placement::block}, {}, 8).facts.latency_s ==
        Approx(6 * tree.link.latency_s));
  const auto network = own.network(10000, "hockney");
  CHECK(network->route(0, 9999).hops.size() == 6);
}

}  // namespace tutti::test_simgrid_cluster_routes
