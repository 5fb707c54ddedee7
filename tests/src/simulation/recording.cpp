// Tests the recording of runs for pictures: the operations, the network as a graph, and the loads
// of links.
#include "src/simulation/recording/recording.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_recording {

namespace {

Machine machine_on(const std::string& file, std::uint32_t ranks, std::uint32_t ranks_per_host) {
  Machine machine;
  machine.spec.source.file = source_dir() + "/platforms/" + file;
  open_platform(machine.spec, machine.files);
  place_ranks(machine, ranks, ranks_per_host);
  choose_engine(machine);
  machine.spec.symmetry = SymmetryUse::off;
  return machine;
}

Recording recorded(const char* algorithm, const Problem& problem, const Machine& machine,
                   const RecordingLimits& limits = {}) {
  return record(simulate(algorithm_named(algorithm), problem, machine, Detail::payload), limits);
}

// Checks that the route of every message is a path in the graph.
void check_routes(const DrawnNetwork& network) {
  std::map<std::uint32_t, std::uint32_t> node_of_host;
  for (std::uint32_t node = 0; node < network.nodes.size(); ++node) {
    if (network.nodes[node].host != NetworkNode::kNoHost) {
      CHECK(node_of_host.emplace(network.nodes[node].host, node).second);
    }
  }
  REQUIRE(network.routes.size() > 0);
  std::size_t broken = 0;
  for (std::size_t i = 0; i < network.routes.size(); ++i) {
    std::uint32_t at = node_of_host.at(network.routes.src_host[i]);
    for (const std::uint32_t link : network.routes.route(i)) {
      const DrawnLink& drawn = network.links[link];
      broken += drawn.from != at && drawn.to != at ? 1 : 0;
      at = drawn.from == at ? drawn.to : drawn.from;
    }
    broken += at != node_of_host.at(network.routes.dst_host[i]) ? 1 : 0;
  }
  CHECK(broken == 0);
}

std::size_t nodes_at(const DrawnNetwork& network, std::uint32_t level) {
  return static_cast<std::size_t>(
      std::count_if(network.nodes.begin(), network.nodes.end(),
                    [&](const NetworkNode& node) { return node.level == level; }));
}

}  // namespace

TEST_CASE("networks are drawn from the routes that cross them") {
  const Problem problem = problem_of(Collective::allreduce, 64, 1 << 13);
  SECTION("a fat tree has levels") {
    const Recording recording =
        recorded("allreduce/ring", problem, machine_on("infiniband_hdr_128_thin.xml", 64, 1));
    REQUIRE(recording.network);
    CHECK(recording.network->shape.kind == "fat_tree");
    check_routes(*recording.network);
    CHECK(nodes_at(*recording.network, 0) == 64);
    // A ring uses only some of the links above the leaf switches. Nevertheless the links of all
    // hosts of a leaf switch must lead to the same node of the graph.
    std::set<std::uint32_t> leaves;
    for (const DrawnLink& link : recording.network->links) {
      if (recording.network->nodes[link.from].host != NetworkNode::kNoHost) {
        leaves.insert(link.to);
      }
    }
    CHECK(leaves.size() == nodes_at(*recording.network, 1));
    CHECK(leaves.size() < 64);
  }
  SECTION("a torus has only hosts") {
    const Recording recording =
        recorded("allreduce/recursive_doubling", problem, machine_on("torus_64.xml", 64, 1));
    check_routes(*recording.network);
    CHECK(recording.network->shape.kind == "torus");
    CHECK(recording.network->shape.dimensions == std::vector<std::uint32_t>{4, 4, 4});
    CHECK(recording.network->nodes.size() == 64);
  }
  SECTION("a dragonfly has groups") {
    const Recording recording =
        recorded("allreduce/recursive_doubling", problem, machine_on("slingshot_128.xml", 64, 1));
    check_routes(*recording.network);
    std::set<std::uint32_t> groups;
    for (const NetworkNode& node : recording.network->nodes) {
      groups.insert(node.group);
    }
    CHECK(groups.count(NetworkNode::kNoGroup) == 0);
    CHECK(groups.size() > 1);
  }
  SECTION("a star has one switch") {
    const Recording recording =
        recorded("allreduce/ring", problem_of(Collective::allreduce, 8, 1 << 13),
                 machine_on("ethernet_1g_32.xml", 8, 1));
    check_routes(*recording.network);
    CHECK(recording.network->nodes.size() == 9);
  }
}

TEST_CASE("costs of links are recorded for messages and for links, with the same sums") {
  const Recording recording =
      recorded("alltoall/pairwise", problem_of(Collective::alltoall, 32, 32 * 1024),
               machine_on("infiniband_hdr_128_thin.xml", 32, 1));
  const RecordedOps& ops = recording.ops;
  REQUIRE(!recording.merged());
  double of_links_s = 0;
  for (const LinkInRun& link : recording.explanation.links) {
    of_links_s += link.link.statistics.lost_s;
  }
  const double of_ops_s = std::accumulate(ops.lost_s.begin(), ops.lost_s.end(), 0.0);
  CHECK(of_links_s > 0);
  CHECK(of_ops_s == Approx(of_links_s).epsilon(1e-9));
  for (std::size_t i = 0; i < ops.size(); ++i) {
    REQUIRE((ops.held_by[i] == kNoLink) == (ops.lost_s[i] == 0));
    REQUIRE(ops.ready_s[i] <= ops.start_s[i]);
  }
  // The load of a link adds up to its bytes, and no shared link exceeds its capacity.
  const double total_s = recording.explanation.account.total_s;
  for (const DrawnLink& link : recording.network->links) {
    const LinkStatistics& figures =
        recording.explanation.links[link.of_explanation].link.statistics;
    const double percent =
        std::accumulate(link.load_percent.begin(), link.load_percent.end(), 0.0) /
        recording.network->bins;
    const double expected =
        100 * static_cast<double>(figures.bytes) / (figures.capacity_bytes_per_s * total_s);
    CHECK(std::fabs(percent - expected) <= 0.51);  // each bin is rounded
    CHECK(*std::max_element(link.load_percent.begin(), link.load_percent.end()) <= 100);
  }
}

TEST_CASE("runs of many operations are recorded by groups of ranks, with nothing left out") {
  const Problem problem = problem_of(Collective::allreduce, 32, 1 << 13);
  const Machine machine = machine_on("infiniband_hdr_128_thin.xml", 32, 1);
  const Recording whole = recorded("allreduce/ring", problem, machine);
  const Recording merged = recorded("allreduce/ring", problem, machine, {100, 400});
  REQUIRE(merged.merged());
  CHECK(merged.ranks_per_group > 1);
  CHECK(merged.ops.size() <= 400);
  const auto sum = [](const auto& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
  };
  CHECK(sum(merged.ops.bytes) == sum(whole.ops.bytes));
  CHECK(sum(merged.ops.count) == whole.ops.size());
  CHECK(*std::max_element(merged.ops.end_s.begin(), merged.ops.end_s.end()) ==
        whole.explanation.account.total_s);
  for (std::size_t i = 0; i < merged.ops.size(); ++i) {
    REQUIRE(merged.ops.src[i] < 32 / merged.ranks_per_group + 1);
  }
  CHECK(merged.network->links.size() == whole.network->links.size());
}

TEST_CASE("a run without a network records only operations") {
  Machine machine;
  machine.engine = &engine_named("critical-path");
  place_ranks(machine, 4, 1);
  const Recording recording =
      recorded("bcast/binomial", problem_of(Collective::bcast, 4, 800), machine);
  CHECK(!recording.network);
  CHECK(recording.ops.size() == 3);
  CHECK(recording.ops.held_by == std::vector<std::uint32_t>(3, kNoLink));
}

}  // namespace tutti::test_recording
