// Tests --groups host, switch and group, which group ranks by their places on the machine.
#include "src/simulation/rank_groups.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/grouped.hpp"
#include "platforms/rank_places.hpp"
#include "src/requests/machine_options.hpp"
#include "tests/machine_options.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_rank_groups {

namespace {

std::string placed(const std::string& groups, const std::string& platform, std::uint32_t ranks,
                   std::uint32_t per_host, const std::string& placement = "block") {
  MachineOptions options = machine_options({"--placement", placement});
  if (!platform.empty()) {
    options.platform =
        platform.ends_with(".xml") ? source_dir() + "/platforms/" + platform : platform;
  }
  Problem problem;
  problem.ranks = ranks;
  problem.groups = parse_groups("--groups", groups);
  KeptMessages messages;
  place_groups(options.open(messages).machine(problem.ranks, per_host, problem.element_bytes),
               problem);
  return to_text(problem.groups);
}

}  // namespace

TEST_CASE("groups are the ranks of a host, of a switch, or of a dragonfly's group") {
  CHECK(placed("host", "", 10, 4) == "4");
  CHECK(placed("host", "", 6, 2, "cyclic") == "0+3/1+4/2+5");
  CHECK(placed("host,switch", "", 6, 2) == "2,6");
  CHECK(placed("host", "smp_16x8.xml", 128, 8) == "8");
  CHECK(placed("switch", "infiniband_hdr_128.xml", 128, 1) == "16");
  CHECK(placed("switch,group", "slingshot_128.xml", 128, 1) == "4,32");
  CHECK(placed("host,switch,group", "slingshot_128.xml", 128, 2) == "2,8,64");
  // Ranks are placed on hosts that are taken in turn from 2 switches.
  CHECK(placed("switch", "slingshot_128.xml", 8, 1, "switch") == "0-6:2/1-7:2");
  CHECK(placed("8,host", "crossbar:8", 16, 2) == "8,2");  // kept as written, and refused later
}

TEST_CASE("groups follow the given hosts of the ranks") {
  MachineOptions options;
  options.platform = source_dir() + "/platforms/slingshot_128.xml";
  options.hosts = "node-[32-33,4-5,34-35,0]";
  Problem problem;
  problem.ranks = 7;
  problem.groups = parse_groups("--groups", "switch,group");
  KeptMessages messages;
  place_groups(options.open(messages).machine(problem.ranks, 1, problem.element_bytes), problem);
  CHECK(to_text(problem.groups) == "0-1+4-5/2-3/6,0-1+4-5/2-3+6");
}

TEST_CASE("leaf switches and groups of unequal sizes are distinguished") {
  const ScratchFolder folder;
  const std::string file = folder.path / "groups.xml";
  GroupedPlatform platform;
  platform.kind = "small";
  platform.groups = {{"a", {{"1", {"n1", "n2", "n3"}}, {"2", {"n4"}}}},
                     {"b", {{"1", {"n5", "n6"}}}}};
  platform.out = LinkFigures();
  std::ofstream(file) << to_xml(platform);
  const auto groups = [&](const std::string& placement, const std::optional<std::string>& hosts) {
    MachineOptions options = machine_options({"--placement", placement});
    options.platform = file;
    options.hosts = hosts;
    Problem problem;
    problem.ranks = 6;
    problem.groups = parse_groups("--groups", "switch,group");
    KeptMessages messages;
    const Machine machine = options.open(messages).machine(problem.ranks, 1, problem.element_bytes);
    place_groups(machine, problem);
    return std::pair(to_text(problem.groups), hosts_of_ranks(machine.mapping));
  };
  const std::vector<std::uint32_t> in_order{0, 1, 2, 3, 4, 5};
  CHECK(groups("block", {}).first == "0-2/3/4-5,4");
  CHECK(groups("block", {}).second == in_order);
  // Ranks get the first host of each switch, then the second of each, then the third.
  CHECK(groups("switch", {}).second == std::vector<std::uint32_t>{0, 3, 4, 1, 5, 2});
  CHECK(groups("block", "n[5,1,6,2-4]").first == "0+2/1+3-4/5,0+2/1+3-5");
}

TEST_CASE("a platform without such groups reports it") {
  CHECK_THROWS_WITH(placed("group", "crossbar:8", 8, 1),
                    Catch::Contains("crossbar:8 has no groups of hosts"));
  CHECK_THROWS_WITH(placed("switch", "torus_64.xml", 64, 1),
                    Catch::Contains("does not say which hosts share a switch"));
}

}  // namespace tutti::test_rank_groups
