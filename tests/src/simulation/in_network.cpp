// Tests schedules with in-network reduction: compares their times with times computed by hand, and
// checks on which platforms they can run and that the proof finds faults at a switch.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/field_names.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/cluster_platform.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/single_switch.hpp"
#include "schedules/assemble.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "schedules/verify/verify.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/run_result.hpp"
#include "src/simulation/switch_places.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_in_network {
using Catch::Matchers::Contains;

namespace {

constexpr LinkFigures kLink{.latency_s = 1e-6, .bandwidth_bytes_per_s = 1e9};

Machine machine_of(const std::string& xml, std::uint32_t ranks) {
  Machine machine;
  machine.engine = &engine_named("flow");
  machine.spec.source.file = "declared.xml";
  machine.files.cluster = read_cluster_text(xml, machine.spec.source.file);
  REQUIRE(machine.files.cluster != nullptr);
  place_ranks(machine, ranks, 1);
  return machine;
}

// Returns a machine with two leaf switches with two hosts each, and one top switch.
Machine two_by_two(const std::string& in_network = "yes", std::uint32_t ranks = 4) {
  return machine_of(to_xml(FatTree{.down = {2, 2},
                                   .up = {1, 1},
                                   .cables = {1, 1},
                                   .link = kLink,
                                   .node = {},
                                   .in_network = in_network}),
                    ranks);
}

Machine star(std::uint32_t hosts) {
  return machine_of(crossbar_to_xml({.hosts = hosts,
                                     .route = {.latency_s = 2e-6, .bandwidth_bytes_per_s = 1e9},
                                     .node = {},
                                     .in_network = "yes"}),
                    hosts);
}

Problem grouped(Collective collective, std::uint32_t ranks, std::uint64_t elements,
                const std::string& groups, Rank root = 0) {
  Problem problem = problem_of(collective, ranks, elements, root);
  problem.groups = parse_groups("--groups", groups);
  return problem;
}

double time_s(const std::string& algorithm, const Problem& problem, const Machine& machine) {
  return simulate(algorithm_named(algorithm), problem, machine, Detail::times_only)
      .result.simulated_s;
}

std::string refusal_of(const std::string& algorithm, const Problem& problem,
                       const Machine& machine) {
  try {
    (void)time_s(algorithm, problem, machine);
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "";
}

constexpr double kMicro = 1e-6;

}  // namespace

// In this test, a message of 8000 bytes takes 8 us on a link, plus a latency of 1 us.
TEST_CASE("SHARP on two leaf switches takes the time of its links, computed by hand") {
  const Machine machine = two_by_two();
  Problem problem = grouped(Collective::allreduce, 4, 1000, "2");
  // The path is host, leaf, top, leaf, host: four times 1 + 8 us.
  CHECK(time_s("allreduce/sharp", problem, machine) == Approx(36 * kMicro).epsilon(1e-9));
  // In the prices, alpha is the latency of four links, 4 us, and a message to or from a switch
  // costs half of alpha: four times 2 + 8 us.
  const RunResult priced =
      simulate(algorithm_named("allreduce/sharp"), problem, machine, Detail::times_only).result;
  CHECK(priced.longest_path_s == Approx(40 * kMicro).epsilon(1e-9));
  CHECK(priced.exact_s.value_or(0) == Approx(40 * kMicro).epsilon(1e-9));
  // With two segments: four times 1 + 4 us, and the second segment arrives 1 + 4 us later.
  problem.segment_bytes = 4000;
  CHECK(time_s("allreduce/sharp", problem, machine) == Approx(25 * kMicro).epsilon(1e-9));
  // A barrier takes only four latencies.
  CHECK(time_s("barrier/sharp", grouped(Collective::barrier, 4, 0, "2"), machine) ==
        Approx(4 * kMicro).epsilon(1e-9));
  for (const Rank root : {0U, 3U}) {
    CHECK(time_s("reduce/sharp", grouped(Collective::reduce, 4, 1000, "2", root), machine) ==
          Approx(36 * kMicro).epsilon(1e-9));
    CHECK(time_s("bcast/sharp", grouped(Collective::bcast, 4, 1000, "2", root), machine) ==
          Approx(36 * kMicro).epsilon(1e-9));
  }
}

// The tree has three levels of switches. A leaf switch has two parents, with two parallel cables to
// each.
TEST_CASE("Links to and from switches of a fat tree form connected paths") {
  const Machine machine = machine_of(to_xml(FatTree{.down = {2, 2, 2},
                                                    .up = {1, 2, 2},
                                                    .cables = {1, 2, 1},
                                                    .link = kLink,
                                                    .node = {},
                                                    .in_network = "yes"}),
                                     8);
  CHECK(time_s("allreduce/sharp", grouped(Collective::allreduce, 8, 1000, "2,4"), machine) ==
        Approx(54 * kMicro).epsilon(1e-9));
  const ClusterPlatform& platform = *machine.files.cluster;
  const auto network = platform.network(8, "hockney");
  // Returns the nodes on the route from `from` to `to`. Reads them from the names of the links,
  // such as "link_from_LOWER_UPPER_CABLE_UP".
  const auto way = [&](std::uint32_t from, std::uint32_t to) {
    std::vector<std::string> nodes;
    for (const Hop hop : network->route(from, to).hops) {
      std::vector<std::string> words;
      std::istringstream name(network->link_name(hop.link()));
      for (std::string word; std::getline(name, word, '_');) {
        words.push_back(word);
      }
      REQUIRE(words.size() == 6);
      const bool up = words[5] == "UP";
      REQUIRE((up || words[5] == "DOWN"));
      if (!nodes.empty()) {
        CHECK(nodes.back() == words[up ? 2 : 3]);
      } else {
        nodes.push_back(words[up ? 2 : 3]);
      }
      nodes.push_back(words[up ? 3 : 2]);
    }
    return nodes;
  };
  const std::uint32_t top = platform.switch_above(0, 7);
  CHECK_FALSE(platform.next_above(top));
  std::set<std::string> tops;
  for (std::uint32_t host = 0; host < 8; ++host) {
    const std::uint32_t leaf = platform.switch_of_host(host);
    CHECK(leaf == platform.switch_of_host(host ^ 1U));
    CHECK(platform.switch_above(host, host ^ 1U) == leaf);
    CHECK(way(host, leaf).size() == 2);
    const std::vector<std::string> up = way(host, top);
    std::vector<std::string> down = way(top, host);
    CHECK(up.size() == 4);
    std::reverse(down.begin(), down.end());
    CHECK(up == down);
    CHECK(up.front() == std::to_string(host));
    tops.insert(up.back());
    // A path from leaf switch to leaf switch leads through the lowest switch above both.
    const std::uint32_t other = platform.switch_of_host((host + 2) % 8);
    const bool near = host / 4 == (host + 2) % 8 / 4;
    CHECK(way(leaf, other).size() == (near ? 3 : 5));
  }
  CHECK(tops.size() == 1);
}

TEST_CASE("A switch with a reduction rate takes time for each operand except the first") {
  // Reducing 8000 bytes at 4 GB/s takes 2 us at a leaf switch, and 2 us at the top switch.
  CHECK(time_s("allreduce/sharp", grouped(Collective::allreduce, 4, 1000, "2"),
               two_by_two("4GBps")) == Approx(40 * kMicro).epsilon(1e-9));
  // With three ranks, one leaf switch has two operands, the other has one.
  CHECK(time_s("allreduce/sharp", grouped(Collective::allreduce, 3, 1000, "2"),
               two_by_two("4GBps", 3)) == Approx(40 * kMicro).epsilon(1e-9));
}

TEST_CASE("Half of alpha for a link to a switch is exact with a single switch") {
  std::size_t compared = 0;
  for (const Algorithm* algorithm : algorithms()) {
    if (!algorithm->in_network() || algorithm->exact_s == nullptr) {
      continue;
    }
    for (std::uint32_t ranks = 1; ranks <= 17; ++ranks) {
      const Machine machine = star(ranks);
      const std::uint64_t elements =
          algorithm->collective == Collective::barrier ? 0 : std::uint64_t{ranks} * 840;
      for (const Rank root : roots(algorithm->collective, ranks)) {
        for (const Problem& problem :
             option_variants(*algorithm, problem_of(algorithm->collective, ranks, elements, root),
                             {elements, 210, 17})) {
          if (refuses(*algorithm, problem) || !problem.groups.levels.empty()) {
            continue;
          }
          INFO(algorithm->full_name()
               << " p=" << ranks << ' ' << options_text(*algorithm, problem));
          const RunResult result =
              simulate(*algorithm, problem, machine, Detail::times_only).result;
          REQUIRE(result.exact_s);
          CHECK(result.simulated_s == Approx(*result.exact_s).epsilon(1e-9).margin(1e-18));
          CHECK(result.longest_path_s == Approx(*result.exact_s).epsilon(1e-9).margin(1e-18));
          ++compared;
        }
      }
    }
  }
  CHECK(compared > 300);
}

TEST_CASE("NVLS moves the vector once over each link, and a rank's own share once more") {
  const Machine machine = star(8);
  const Problem problem = problem_of(Collective::allreduce, 8, 1 << 20);
  const double alone_s = 1e-9 * static_cast<double>(problem.bytes);
  const double nvls_s = time_s("allreduce/nvls", problem, machine);
  CHECK(nvls_s > alone_s * 9 / 8);
  CHECK(nvls_s < time_s("allreduce/ring", problem, machine));
}

TEST_CASE("Switches take part only where a platform declares them") {
  const Problem problem = grouped(Collective::allreduce, 4, 1000, "2");
  Machine undeclared = two_by_two("");
  undeclared.spec.source.file = source_dir() + "/platforms/crossbar_64.xml";
  CHECK_THAT(refusal_of("allreduce/sharp", problem, undeclared),
             Contains("3 switches take part in the schedule, but crossbar_64.xml declares none "
                      "that reduce") &&
                 Contains("<prop id=\"tutti:in_network\" value=\"yes\"/>"));
  Machine crossbar;
  crossbar.engine = &engine_named("flow");
  place_ranks(crossbar, 4, 1);
  CHECK_THAT(refusal_of("allreduce/nvls", problem_of(Collective::allreduce, 4, 1000), crossbar),
             Contains("1 switch takes part in the schedule, but crossbar:4 declares none"));
  Machine by_formulas = undeclared;
  by_formulas.engine = &engine_named("critical-path");
  CHECK_THAT(refusal_of("allreduce/sharp", problem, by_formulas), Contains("declares none"));
  Machine by_simgrid = two_by_two();
  by_simgrid.engine = &engine_named("simgrid");
  CHECK_THAT(refusal_of("allreduce/sharp", problem, by_simgrid),
             Contains("--engine simgrid: 3 switches take part") && Contains("use --engine flow"));
}

TEST_CASE("Switches of a schedule must exist in the platform") {
  const Machine machine = two_by_two();
  CHECK_THAT(refusal_of("allreduce/nvls", problem_of(Collective::allreduce, 4, 1000), machine),
             Contains("ranks 0 and 2 share switch 0 of the schedule, but one is at the switch of "
                      "hosts 0-1 and the other at the switch of hosts 2-3"));
  CHECK_THAT(refusal_of("allreduce/sharp", grouped(Collective::allreduce, 4, 1000, "1"), star(4)),
             Contains("switch 4 of the schedule must be above the switch, but "
                      "declared.xml has no switch above that"));
  // In the schedule, each rank has its own leaf switch. In the platform, two of these at a time are
  // the same switch, and the top switch is above both.
  CHECK(
      refusal_of("allreduce/sharp", grouped(Collective::allreduce, 4, 1000, "1"), machine).empty());
  CHECK_THAT(refusal_of("allreduce/sharp", grouped(Collective::allreduce, 4, 1000, "1,2"), machine),
             Contains("has no switch above that"));
}

TEST_CASE("The proof names a switch, and a fault at one is found") {
  const Schedule schedule =
      make_schedule(algorithm_named("allreduce/sharp"), problem_of(Collective::allreduce, 3, 10));
  REQUIRE(schedule.switches() == 1);
  CHECK(verify(schedule).proved());
  ScheduleParts parts = parts_of(schedule);
  // Removes the dependency of the second reduction on its operand.
  bool dropped = false;
  for (OpId id = 0; id < parts.ops.size() && !dropped; ++id) {
    if (parts.ops[id].kind() == OpKind::reduce && parts.ops[id].label().level == 2) {
      parts.dependencies.erase(parts.dependencies.begin() + parts.rows[id]);
      for (std::size_t row = id + 1; row < parts.rows.size(); ++row) {
        --parts.rows[row];
      }
      dropped = true;
    }
  }
  REQUIRE(dropped);
  const Verdict verdict = verify(assemble(std::move(parts)));
  CHECK_FALSE(verdict.proved());
  REQUIRE_FALSE(verdict.findings.empty());
  CHECK_THAT(verdict.findings.front().text, Contains("switch 0"));
}

TEST_CASE("Files give the number of switches that take part, and no more are taken") {
  const std::string header =
      "tutti-schedule 1\ncollective bcast\nranks 2\nswitches 1\nbytes 8\nblocks 1\n";
  const std::string up = "Req(<0,0>,{0,2}) = Comm(0,2,8, work[0] -> work[0])\n";
  const std::string down =
      "Req(<1,0>,{2,1}) = Comm(2,1,8, work[0] -> work[0]) After(Req(<0,0>,{0,2}))\n";
  const Schedule schedule = parse_notation(header + up + down, "f.tutti").schedule;
  CHECK(schedule.switches() == 1);
  CHECK(schedule.ranks() == 2);
  CHECK(verify(schedule).proved());
  // A switch has no data of its own to send.
  const Verdict alone =
      verify(parse_notation(header + "Req(<1,0>,{2,1}) = Comm(2,1,8, work[0] -> work[0])\n", "f")
                 .schedule);
  REQUIRE_FALSE(alone.findings.empty());
  CHECK_THAT(alone.findings.front().text, Contains("switch 0 sends block 0 of work to rank 1"));
  CHECK_THROWS_WITH(
      parse_notation(header + "Req(<0,0>,{0,3}) = Comm(0,3,8, work[0] -> work[0])\n", "f"),
      Contains("3"));
}

TEST_CASE("Declarations of switches are read, and checked against the topology") {
  const auto with = [](const std::string& attributes, const std::string& prop) {
    return "<?xml version='1.0'?>\n<platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"n\" "
           "suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" " +
           attributes + ">" + prop + "</cluster></platform>";
  };
  const std::string yes = R"(<prop id="tutti:in_network" value="yes"/>)";
  REQUIRE(read_cluster_text(with("", yes), "p.xml"));
  CHECK(read_cluster_text(with("", yes), "p.xml")->in_network());
  CHECK(read_cluster_text(with("", R"(<prop id="tutti:in_network" value="8Gbps"/>)"), "p.xml")
            ->in_network()
            ->reduce_bytes_per_s == 1e9);
  CHECK_FALSE(read_cluster_text(with("", ""), "p.xml")->in_network());
  CHECK(read_cluster_text(with("", R"(<prop id="other" value="yes"/>)"), "p.xml") == nullptr);
  CHECK(read_cluster_text(with("", yes + yes), "p.xml") == nullptr);
}

}  // namespace tutti::test_in_network
