// Of many runs one is lost: the others stay, and it says what became of it.
#include <catch2/catch.hpp>

#include <csignal>
#include <new>
#include <sstream>

#include "simulation/engines/engine_type.hpp"
#include "simulation/machine.hpp"
#include "src/experiments/comparison.hpp"
#include "src/experiments/run_failures.hpp"
#include "src/report/comparison_text.hpp"
#include "src/report/result_json.hpp"
#include "tests/schedules/problems.hpp"

using namespace tutti;
using Catch::Contains;

namespace {

constexpr std::uint32_t kDeadly = 5;

void emit_or_die(const Problem& problem, ScheduleBuilder& builder) {
  if (problem.ranks == kDeadly) {
    (void)std::raise(SIGKILL);
  }
  builder.comm({1}, 0, 1, {{0, 1}, kInput, kWork}, {});
}

void emit_or_run_out(const Problem& problem, ScheduleBuilder& builder) {
  if (problem.ranks == kDeadly) {
    throw std::bad_alloc();
  }
  builder.comm({1}, 0, 1, {{0, 1}, kInput, kWork}, {});
}

constexpr Algorithm kDying{
    .collective = Collective::bcast,
    .name = "dying",
    .idea = {},
    .source = {},
    .cost = {},
    .layout = one_block,
    .emit = emit_or_die,
};

Algorithm running_out() {
  Algorithm algorithm = kDying;
  algorithm.name = "running_out";
  algorithm.emit = emit_or_run_out;
  return algorithm;
}

Comparison compare(const Algorithm& algorithm, const std::string& engine, std::size_t jobs) {
  ProblemOptions problem;
  problem.ranks = "4,5,6";
  problem.bytes = "64,1K";
  MachineOptions machine;
  machine.engine = engine;
  const Algorithm* const more = &algorithm;
  Comparison comparison = prepare_comparison(Collective::bcast, problem, machine, {&more, 1});
  run_comparison(comparison, jobs, [](std::size_t) {});
  return comparison;
}

void check_lost(const Comparison& comparison, std::string_view name, const std::string& words) {
  std::vector<const RunOutcome*> failed;
  for (const RunOutcome& outcome : comparison.outcomes) {
    const bool lost = outcome.algorithm->name == name && outcome.problem.ranks == kDeadly;
    CAPTURE(outcome.algorithm->name, outcome.problem.ranks, outcome.refusal);
    REQUIRE(outcome.failed == lost);
    REQUIRE(outcome.result.has_value() == !lost);
    if (lost) {
      CHECK_THAT(outcome.refusal, Contains(words));
      failed.push_back(&outcome);
    }
  }
  std::ostringstream err;
  report_failures(failed, err);
  CHECK_THAT(err.str(), Contains("tutti: 2 runs failed, first of all bcast/") &&
                            Contains("with -p 5 -n 64: ") && Contains(words));
  std::ostringstream text;
  print_comparison(comparison, text);
  CHECK_THAT(text.str(), Contains("failed") && Contains(words));
  std::ostringstream json;
  write_results_json(comparison.outcomes, json);
  CHECK_THAT(json.str(), Contains("\"failed\": true"));
}

}  // namespace

#if TUTTI_WITH_SIMGRID
TEST_CASE("a process that dies loses its own run and no other") {
  for (const std::size_t jobs : {1U, 2U}) {
    for (const char* engine : {"simgrid", "both"}) {
      CAPTURE(jobs, engine);
      check_lost(compare(kDying, engine, jobs), "dying", "was ended by signal 9");
    }
  }
}

TEST_CASE("a run in a process that is out of memory is the only one lost") {
  check_lost(compare(running_out(), "simgrid", 2), "running_out", "out of memory");
}
#endif

TEST_CASE("a run in a thread that is out of memory is the only one lost") {
  for (const char* engine : {"flow", "critical-path"}) {
    check_lost(compare(running_out(), engine, 2), "running_out", "out of memory");
  }
}

TEST_CASE("who needs all runs hears of the first that is lost") {
  const Algorithm algorithm = running_out();
  std::vector<RunOutcome> outcomes(1);
  outcomes[0].algorithm = &algorithm;
  outcomes[0].problem.collective = Collective::bcast;
  outcomes[0].problem.ranks = kDeadly;
  outcomes[0].problem.bytes = 64;
  Machine machine;
  machine.engine = &engine_named("critical-path");
  machine.mapping.ranks = machine.source.crossbar.hosts = kDeadly;
  const std::vector<Machine> machines{machine};
  const Runs runs{outcomes, machines, {0}};
  CHECK_THROWS_AS(run_all(runs, 1, [](std::size_t) {}), std::bad_alloc);
}
