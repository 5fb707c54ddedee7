// Tests that if one of many runs crashes, the results of the others are kept, and the output states
// what happened to the crashed run.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <csignal>
#include <new>
#include <sstream>

#include "src/experiments/compare/comparison.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/printed_messages.hpp"
#include "src/output/comparison_text.hpp"
#include "src/output/result_json.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_lost_runs {
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

struct ComparisonOutput {
  Comparison comparison;
  std::string printed;
};

ComparisonOutput compare(const Algorithm& algorithm, const std::string& engine, std::size_t jobs) {
  ComparisonRequest request;
  request.collective = Collective::bcast;
  request.machine.spec.engine = engine;
  const Algorithm* const more = &algorithm;
  request.algorithms = algorithms_to_compare(request.collective, request.machine, {&more, 1});
  request.problems.ranks = {4, 5, 6};
  request.problems.bytes = {64, 1024};
  Comparison comparison = prepare_comparison(std::move(request));
  std::ostringstream err;
  PrintedMessages messages(err);
  const auto runner = local_runner(comparison.machines.front(), jobs, messages);
  runner->run(comparison.runs, "comparing");
  CHECK(runner->sum_up());
  return {std::move(comparison), err.str()};
}

void check_lost(const ComparisonOutput& done, std::string_view name, const std::string& words) {
  const Comparison& comparison = done.comparison;
  for (const CaseRun& run : comparison.runs) {
    const bool lost = run.algorithm->name == name && run.problem.ranks == kDeadly;
    CAPTURE(run.algorithm->name, run.problem.ranks, run.outcome.why_not());
    REQUIRE((run.outcome.failure() != nullptr) == lost);
    REQUIRE((run.outcome.result() != nullptr || run.outcome.refusal() != nullptr) == !lost);
    if (lost) {
      CHECK_THAT(run.outcome.why_not(), Contains(words));
    }
  }
  CHECK_THAT(done.printed, Contains("tutti: 2 runs failed; the first: bcast/") &&
                               Contains("with -p 5 -n 64: ") && Contains(words));
  std::ostringstream text;
  print_comparison(comparison, WinnerMap(comparison), Details::all, std::nullopt, {}, text);
  CHECK_THAT(text.str(), Contains("failed") && Contains(words));
  for (const CaseRun& run : comparison.runs) {
    const nlohmann::ordered_json row = result_row_json(run);
    CHECK(row.at("failed") == (run.outcome.failure() != nullptr));
    CHECK(row.at("simulated_s").is_null() == (run.outcome.result() == nullptr));
  }
}

}  // namespace

#if TUTTI_WITH_SIMGRID
TEST_CASE("a process that dies loses only its own run") {
  for (const std::size_t jobs : {1U, 2U}) {
    for (const char* engine : {"simgrid", "both"}) {
      CAPTURE(jobs, engine);
      check_lost(compare(kDying, engine, jobs), "dying", "was killed by signal 9");
    }
  }
}

TEST_CASE("a process that runs out of memory loses only its own run") {
  check_lost(compare(running_out(), "simgrid", 2), "running_out", "out of memory");
}
#endif

TEST_CASE("a thread that runs out of memory loses only its own run") {
  for (const char* engine : {"flow", "critical-path"}) {
    check_lost(compare(running_out(), engine, 2), "running_out", "out of memory");
  }
}

}  // namespace tutti::test_lost_runs
