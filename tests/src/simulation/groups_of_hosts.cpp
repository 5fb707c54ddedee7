#include "src/simulation/groups_of_hosts.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <vector>

#include "platforms/cluster_file.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/machine_bound.hpp"
#include "tests/platforms/rail_nodes.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_groups_of_hosts {

TEST_CASE("nodes and rails are groups of hosts") {
  for (const double inner_bytes_per_s : {450e9, 50e9}) {
    INFO(inner_bytes_per_s);
    RailNodes made;
    made.nodes = 3;
    made.hosts = 2;
    made.inner_bytes_per_s = inner_bytes_per_s;
    const auto platform = read_cluster_text(to_xml(made), "rails.xml");
    REQUIRE(platform != nullptr);
    const auto network = platform->network(platform->host_count(), "hockney");
    std::vector<std::uint32_t> hosts(network->hosts());
    std::iota(hosts.begin(), hosts.end(), 0U);
    const std::vector<std::uint32_t> nodes{0, 0, 2, 2, 4, 4};
    const std::vector<std::uint32_t> rails{0, 1, 0, 1, 0, 1};
    CHECK(groups_by_routes(*network, hosts) ==
          std::vector<std::vector<std::uint32_t>>{nodes, rails});
    if (inner_bytes_per_s != made.card_bytes_per_s) {
      // Hosts without ranks are left out.
      const auto found = groups_by_routes(*network, {0, 1, 2, 3, 4});
      CHECK(std::ranges::find(found, std::vector<std::uint32_t>{0, 0, 2, 2, 4, 5}) != found.end());
    }
  }
}

TEST_CASE("the cards of a node limit an allreduce, on a platform with listed routes") {
  const ScratchFolder folder;
  const std::string file = folder.path / "rails.xml";
  RailNodes made;
  made.nodes = 16;
  made.hosts = 8;
  std::ofstream(file) << to_xml(made);
  OpenedMachine opened;
  opened.spec.source.file = file;
  open_platform(opened.spec, opened.files);
  Problem problem;
  problem.collective = Collective::allreduce;
  problem.ranks = 128;
  problem.bytes = 64U << 20U;
  const Machine machine = opened.machine(problem.ranks, 1, problem.element_bytes);
  const NetworkBound bound = bounds_of(machine).bounds.of(problem);
  const BoundPart& bytes = bound.of(BoundKind::bytes);
  CHECK(bytes.form == Certificate::groups);
  CHECK(bytes.groups == 16);
  CHECK(bytes.seconds == Approx(1e-6 + 2 * 15 * double{64U << 20U} / 6.4e12).epsilon(1e-12));
}

}  // namespace tutti::test_groups_of_hosts
