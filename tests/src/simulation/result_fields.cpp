// Tests runs that leave out what their caller does not read.
#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/outcome.hpp"
#include "src/simulation/run_result.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_wanted {

namespace {

Machine machine_for(std::string_view engine, const Problem& problem) {
  Machine machine;
  machine.engine = &engine_named(engine);
  machine.spec.symmetry = SymmetryUse::off;
  machine.mapping.ranks = machine.spec.source.crossbar.hosts = problem.ranks;
  return machine;
}

RunResult run(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
              ResultFields wanted = ResultFields::everything) {
  ScheduleCache cache(0);
  return simulate_times(algorithm, problem, machine, engine_of(machine), cache, nullptr,
                        Fingerprint::left_out, wanted);
}

}  // namespace

TEST_CASE("a run has the same time, whatever else of its result is wanted") {
  for (const char* const engine : {"flow", "critical-path"}) {
    for (const Algorithm* algorithm : host_algorithms()) {
      const Problem problem = problem_of(algorithm->collective, 9, 900);
      if (refuses(*algorithm, problem)) {
        continue;
      }
      for (const std::int64_t eager_bytes : {-1, 1000}) {
        Machine machine = machine_for(engine, problem);
        machine.setup.eager_bytes = eager_bytes;
        INFO(algorithm->full_name() << " by " << engine);
        const RunResult all = run(*algorithm, problem, machine);
        const RunResult spending = run(*algorithm, problem, machine, ResultFields::spending);
        machine.record.message_ends = false;
        const RunResult time = run(*algorithm, problem, machine, ResultFields::time);
        CHECK(all.chain_ops > 0);
        CHECK(spending.simulated_s == all.simulated_s);
        CHECK(spending.waited == all.waited);
        CHECK(spending.chain.steps == all.chain.steps);
        CHECK(time.simulated_s == all.simulated_s);
        CHECK(time.waited == all.waited);
        CHECK(time.ops == all.ops);
        CHECK(time.chain_ops == 0);
      }
    }
  }
}

TEST_CASE("a check of ties finds the same if the time without shifts is known") {
  std::size_t checked = 0;
  for (const char* const engine : {"flow", "critical-path"}) {
    for (const Algorithm* algorithm : host_algorithms()) {
      const Problem problem = problem_of(algorithm->collective, 9, 900);
      if (refuses(*algorithm, problem)) {
        continue;
      }
      Machine machine = machine_for(engine, problem);
      const RunResult first = run(*algorithm, problem, machine);
      if (!first.waited) {
        continue;
      }
      INFO(algorithm->full_name() << " by " << engine);
      machine.setup.ties = default_tie_probe(machine);
      const RunResult whole = run(*algorithm, problem, machine);
      machine.setup.ties.known_total_s = first.simulated_s;
      const RunResult rest = run(*algorithm, problem, machine);
      CHECK(whole.ties.runs == 3);
      CHECK(rest.simulated_s == whole.simulated_s);
      CHECK(rest.ties.runs == whole.ties.runs);
      CHECK(rest.ties.seed == whole.ties.seed);
      CHECK(rest.ties.least_s == whole.ties.least_s);
      CHECK(rest.ties.median_s == whole.ties.median_s);
      CHECK(rest.ties.most_s == whole.ties.most_s);
      ++checked;
    }
  }
  CHECK(checked > 10);
}

}  // namespace tutti::test_wanted
