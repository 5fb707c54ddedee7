// Checks the descriptions of links in words against the routes that cross these links.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster_file.hpp"
#include "platforms/cluster_platform.hpp"
#include "platforms/dragonfly.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/link_place.hpp"
#include "platforms/torus.hpp"
#include "tests/platforms/random_clusters.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_link_places {

namespace {

ClusterPlatform cluster(const std::string& attributes) {
  const ScratchFolder folder;
  const std::string file = folder.path / "cluster.xml";
  std::ofstream(file)
      << "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n-\" suffix=\"\" speed=\"1Gf\" "
         "bw=\"1GBps\" lat=\"1us\" "
      << attributes << "/></platform>\n";
  return *read_cluster_file(file);
}

std::vector<std::string> places(const ClusterPlatform& platform, std::uint32_t from,
                                std::uint32_t to) {
  std::vector<std::string> names;
  for (const std::uint32_t link : platform.links_between(from, to)) {
    names.push_back(platform.link_place(link).name);
  }
  return names;
}

std::set<std::string> groups(const ClusterPlatform& platform) {
  std::set<std::string> found;
  for (std::uint32_t link = 0; link < platform.link_count(); ++link) {
    found.insert(platform.link_place(link).group);
  }
  return found;
}

void check_names_differ(const ClusterPlatform& platform) {
  std::map<std::string, std::string> known;
  for (std::uint32_t link = 0; link < platform.link_count(); ++link) {
    const auto [at, is_new] =
        known.try_emplace(platform.link_place(link).name, platform.link_name(link));
    INFO(at->first << ": " << at->second << " and " << platform.link_name(link));
    CHECK(is_new);
  }
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Links of a star are named by their hosts") {
  const ClusterPlatform star = cluster(
      "radical=\"10-13\" loopback_bw=\"2GBps\" loopback_lat=\"0us\" bb_bw=\"9GBps\" "
      "bb_lat=\"0us\" sharing_policy=\"SPLITDUPLEX\"");
  CHECK(places(star, 1, 3) == Names{"host 1 up", "backbone", "host 3 down"});
  CHECK(places(star, 2, 2) == Names{"loopback of host 2"});
  CHECK(groups(star) == std::set<std::string>{"backbone", "host links", "loopbacks"});
  check_names_differ(star);
  CHECK(places(cluster("radical=\"0-3\" sharing_policy=\"SHARED\""), 1, 3) ==
        Names{"link of host 1", "link of host 3"});
}

TEST_CASE("Links of a torus are named by direction and the host that sends over them") {
  const ClusterPlatform torus =
      cluster("radical=\"0-59\" topology=\"TORUS\" topo_parameters=\"5,4,3\"");
  CHECK(places(torus, 4, 0) == Names{"torus link +x of host (4,0,0)"});
  CHECK(places(torus, 0, 4) == Names{"torus link -x of host (0,0,0)"});
  CHECK(places(torus, 3, 3 + 20 + 5) ==
        Names{"torus link +y of host (3,0,0)", "torus link +z of host (3,1,0)"});
  CHECK(groups(torus) == std::set<std::string>{"torus x links", "torus y links", "torus z links"});
  check_names_differ(torus);
  check_names_differ(
      cluster("radical=\"0-5\" topology=\"TORUS\" topo_parameters=\"3,2\" "
              "sharing_policy=\"SHARED\""));
}

TEST_CASE("Links of a fat tree are named by the switch below them and its hosts") {
  // The tree has 16 leaf switches with 4 hosts each. A leaf switch has two cables to each of 2
  // middle switches, and a middle switch has one cable to each of 3 top switches.
  const ClusterPlatform tree =
      cluster("radical=\"0-63\" topology=\"FAT_TREE\" topo_parameters=\"3;4,4,4;1,2,3;1,2,1\"");
  check_names_differ(tree);
  CHECK(groups(tree) == std::set<std::string>{"host links", "leaf up-links", "leaf down-links",
                                              "level 2 up-links", "level 2 down-links"});
  CHECK(places(tree, 0, 1) == Names{"host 0 up", "host 1 down"});
  for (std::uint32_t from = 0; from < 64; from += 3) {
    for (std::uint32_t to = 0; to < 64; ++to) {
      const Names found = places(tree, from, to);
      const auto names = [&](std::size_t at, const char* what, std::uint32_t host,
                             std::uint32_t below) {
        const std::uint32_t first = host / below * below;
        INFO(from << " to " << to << ": " << found.at(at));
        CHECK(found.at(at).starts_with(what));
        CHECK(found.at(at).ends_with(fmt::format("(hosts {}-{})", first, first + below - 1)));
      };
      if (from / 4 == to / 4) {
        CHECK(found.size() == 2);
        continue;
      }
      names(1, "up-link ", from, 4);
      CHECK(found[1].find(fmt::format(" of leaf switch {} ", from / 4)) != std::string::npos);
      names(found.size() - 2, "down-link ", to, 4);
      if (from / 16 != to / 16) {
        REQUIRE(found.size() == 6);
        names(2, "up-link ", from, 16);
        CHECK(found[2].find(" of level 2 switch ") != std::string::npos);
        names(3, "down-link ", to, 16);
      }
    }
  }
}

TEST_CASE("On a full fat tree no two messages of a shift or an exchange share a link") {
  for (const std::uint32_t hosts : {128U, 512U}) {
    const ScratchFolder folder;
    const std::string file = folder.path / "tree.xml";
    std::ofstream(file) << to_xml(fat_tree_for(hosts, hosts == 128 ? 40 : 16));
    const ClusterPlatform tree = *read_cluster_file(file);
    for (std::uint32_t distance = 1; distance < hosts; ++distance) {
      std::vector<std::uint32_t> shifted(tree.link_count());
      std::vector<std::uint32_t> exchanged(tree.link_count());
      for (std::uint32_t host = 0; host < hosts; ++host) {
        for (const std::uint32_t link : tree.links_between(host, (host + distance) % hosts)) {
          ++shifted[link];
        }
        for (const std::uint32_t link : tree.links_between(host, host ^ distance)) {
          ++exchanged[link];
        }
      }
      INFO(hosts << " hosts, " << distance << " apart");
      CHECK(*std::max_element(shifted.begin(), shifted.end()) == 1);
      CHECK(*std::max_element(exchanged.begin(), exchanged.end()) == 1);
    }
  }
}

TEST_CASE("Links of a dragonfly are named by groups and routers") {
  const ClusterPlatform dragonfly =
      cluster("radical=\"0-71\" topology=\"DRAGONFLY\" topo_parameters=\"3,1;2,1;4,1;3\"");
  check_names_differ(dragonfly);
  CHECK(groups(dragonfly) == std::set<std::string>{"host links", "green local links",
                                                   "black local links", "global links"});
  // Host 21 is attached to router 3 of the second chassis of group 0, and host 64 to router 1 of
  // the second chassis of group 2.
  CHECK(places(dragonfly, 21, 64) ==
        Names{"host 21 up", "local link of group 0: router (1,3) -> router (1,2)",
              "local link of group 0: router (1,2) -> router (0,2)",
              "global link group 0 -> group 2",
              "local link of group 2: router (0,0) -> router (0,1)",
              "local link of group 2: router (0,1) -> router (1,1)", "host 64 down"});
  CHECK(places(dragonfly, 64, 21)[3] == "global link group 2 -> group 0");
  CHECK(places(cluster("radical=\"0-7\" topology=\"DRAGONFLY\" topo_parameters=\"2,1;1,1;4,1;1\""),
               3, 2)[1] == "local link of group 0: router 3 -> router 2");
}

TEST_CASE("Links known only from routes are named by the hosts that use them") {
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const std::vector<std::uint32_t> hosts{0, 1, 2, 3, 4};
  const auto pairs = [&](auto&& uses) {
    Pairs found;
    for (const std::uint32_t from : hosts) {
      for (const std::uint32_t to : hosts) {
        if (uses(from, to)) {
          found.emplace_back(from, to);
        }
      }
    }
    return found;
  };
  const auto place = [&](auto&& uses) { return place_by_use(pairs(uses), hosts); };
  const auto low = [](std::uint32_t host) { return host < 2; };
  CHECK(place([](auto from, auto to) { return from == 3 && to != 3; }) ==
        LinkPlace{"from host 3 to the others", "host links"});
  CHECK(place([](auto, auto to) { return to == 3; }) ==
        LinkPlace{"from the others to host 3", "host links"});
  CHECK(place([](auto from, auto to) { return (from == 3) != (to == 3); }) ==
        LinkPlace{"between host 3 and the others", "host links"});
  CHECK(place([&](auto from, auto to) { return low(from) && !low(to); }) ==
        LinkPlace{"from hosts 0-1 to the others", "inner links"});
  CHECK(place([&](auto from, auto to) { return low(from) != low(to); }) ==
        LinkPlace{"between hosts 0-1 and the others", "inner links"});
  CHECK(place([](auto from, auto to) { return from != to; }) ==
        LinkPlace{"from all hosts to all hosts", "inner links"});
  CHECK(place([](auto from, auto to) { return from == to && from > 1; }) ==
        LinkPlace{"loopback of hosts 2-4", "loopbacks"});
  CHECK(place([](auto from, auto to) { return (from == 0 || from == 2) && to == 4; }) ==
        LinkPlace{"from hosts 0, 2 to host 4", "host links"});
  CHECK(place_by_use({}, hosts).name == "on no route between hosts in use");
}

TEST_CASE("links between switches are those that are neither of hosts nor loopbacks") {
  for (std::uint32_t i = 0; i < 120; ++i) {
    const std::uint32_t kind = i % random_clusters::kKindsOfClusters;
    if (kind == 4) {
      continue;  // the links within a node of GPUs are neither of these, nor between switches
    }
    random_clusters::Random random(i);
    const ClusterPlatform platform = random_clusters::random_cluster(random, kind);
    const auto network = platform.network(platform.host_count(), "hockney");
    bool right = true;
    for (std::uint32_t link = 0; link < network->links().size(); ++link) {
      const std::string group = network->link_place(link).group;
      right = right &&
              network->is_between_switches(link) == (group != kHostLinks && group != kLoopbacks);
    }
    INFO("platform " << i);
    CHECK(right);
  }
}

}  // namespace tutti::test_link_places
