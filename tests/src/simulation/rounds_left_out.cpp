// Tests that a run which leaves out rounds that repeat has the results of a run of all rounds: the
// time, the counts, and the account of the critical chain.
#include <catch2/catch.hpp>

#include <cmath>
#include <string>

#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/run_result.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_rounds_left_out {

namespace {

Machine machine_of(const std::string& file, std::uint32_t ranks, std::uint32_t ranks_per_host) {
  Machine machine;
  machine.spec.source.file = source_dir() + "/platforms/" + file;
  open_platform(machine.spec, machine.files);
  place_ranks(machine, ranks, ranks_per_host);
  choose_engine(machine);
  return machine;
}

RunResult run(const Algorithm& algorithm, const Problem& problem, Machine machine,
              bool all_rounds) {
  machine.spec.all_rounds = all_rounds;
  return simulate(algorithm, problem, machine, Detail::times_only).result;
}

// Returns true if rounds were left out. Checks that the results are those of all rounds.
bool check(const Algorithm& algorithm, const Problem& problem, const Machine& machine) {
  const RunResult some = run(algorithm, problem, machine, false);
  if (some.ops_simulated == some.ops) {
    return false;
  }
  const RunResult all = run(algorithm, problem, machine, true);
  CAPTURE(machine.spec.source.file, algorithm.full_name(), problem.ranks, problem.bytes,
          problem.segment_bytes, some.ops_simulated);
  CHECK(all.ops_simulated == all.ops);
  CHECK(some.rounds == all.rounds);
  CHECK(some.ops == all.ops);
  CHECK(some.messages == all.messages);
  CHECK(some.bytes_sent == all.bytes_sent);
  CHECK(some.bytes_reduced == all.bytes_reduced);
  CHECK(some.dependencies == all.dependencies);
  CHECK(some.classes == all.classes);
  CHECK(some.waited == all.waited);
  CHECK(some.chain_ops == all.chain_ops);
  CHECK(std::fabs(some.simulated_s - all.simulated_s) <= 1e-12 * all.simulated_s);
  CHECK(std::fabs(some.longest_path_s - all.longest_path_s) <= 1e-12 * all.longest_path_s);
  some.chain.spent.each([&](Spending on, double seconds) {
    CAPTURE(name(on), seconds, all.chain.spent[on]);
    CHECK(std::fabs(seconds - all.chain.spent[on]) <= 1e-9 * all.simulated_s);
  });
  return true;
}

}  // namespace

TEST_CASE("rings that leave out rounds have the results of all rounds") {
  int left_out = 0;
  for (const char* file : {"ethernet_10g_64.xml", "infiniband_hdr_128.xml",
                           "infiniband_hdr_128_thin.xml", "slingshot_128.xml", "torus_512.xml"}) {
    for (const std::uint32_t ranks : {96U, 128U}) {
      const std::uint32_t ranks_per_host = std::string(file).starts_with("torus") ? 1 : 4;
      for (const char* name : {"allreduce/ring", "allgather/ring", "reduce_scatter/ring",
                               "allreduce/multi_ring", "allgather/multi_ring"}) {
        const Algorithm& algorithm = algorithm_named(name);
        for (const std::uint64_t elements : {std::uint64_t{ranks}, std::uint64_t{ranks} * 1024}) {
          left_out += check(algorithm, problem_of(algorithm.collective, ranks, elements),
                            machine_of(file, ranks, ranks_per_host))
                          ? 1
                          : 0;
        }
      }
    }
  }
  CHECK(left_out > 10);
}

TEST_CASE("pipelines that leave out segments have the results of all segments") {
  int left_out = 0;
  for (const char* file : {"ethernet_10g_64.xml", "infiniband_hdr_128.xml", "torus_64.xml"}) {
    for (const char* name : {"bcast/pipeline", "reduce/pipeline", "allreduce/tree"}) {
      const Algorithm& algorithm = algorithm_named(name);
      for (const std::uint32_t ranks : {2U, 3U, 7U}) {
        for (const std::uint64_t rest : {0U, 3U}) {
          for (const Tree tree : {Tree::chain, Tree::binary}) {
            Problem problem = problem_of(algorithm.collective, ranks, 600 * 1024 + rest);
            problem.segment_bytes = 1024 * problem.element_bytes;
            problem.tree = tree;
            left_out += check(algorithm, problem, machine_of(file, ranks, 1)) ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(left_out > 20);
}

}  // namespace tutti::test_rounds_left_out
