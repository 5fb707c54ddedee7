// Tests errors, rank correlations and choices, for runs with known results.
#include "src/experiments/points/validation.hpp"

#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"

namespace tutti::test_validation {
namespace {

MeasuredRun measured(const char* algorithm, std::uint64_t bytes, double median_s) {
  MeasuredRun run;
  run.algorithm = &algorithm_named(algorithm);
  run.problem.collective = run.algorithm->collective;
  run.problem.ranks = 4;
  run.problem.bytes = bytes;
  run.median_s = median_s;
  run.low_s = 0.99 * median_s;
  run.high_s = 1.01 * median_s;
  return run;
}

}  // namespace

TEST_CASE(
    "Rank correlation is 1 for the same order, -1 for the reverse, and averages equal ranks") {
  CHECK(rank_correlation({1, 2, 3}, {10, 20, 300}) == Approx(1));
  CHECK(rank_correlation({1, 2, 3}, {3, 2, 1}) == Approx(-1));
  CHECK(rank_correlation({1, 1, 2}, {5, 6, 7}) == Approx(std::sqrt(0.75)));
  CHECK_FALSE(rank_correlation({1, 1}, {1, 2}));
  CHECK_FALSE(rank_correlation({1}, {1}));
}

TEST_CASE("A pick is right if it is nearly the fastest") {
  const MeasuredRun ring = measured("allreduce/ring", 8192, 100e-6);
  const MeasuredRun doubling = measured("allreduce/recursive_doubling", 8192, 104e-6);
  const MeasuredRun linear = measured("allreduce/basic_linear", 8192, 200e-6);
  const auto cell_for = [&](double ring_s, double doubling_s, double linear_s) {
    Validation validation =
        validation_of({{&ring, ring_s, {}}, {&doubling, doubling_s, {}}, {&linear, linear_s, {}}});
    REQUIRE(validation.cells.size() == 1);
    CHECK(validation.cells[0].fastest == 0);
    return validation;
  };
  // Recursive doubling is picked. In the measurement it is only 4 % slower than the ring, the
  // fastest.
  CHECK(cell_for(3, 1, 2).cells[0].right);
  const Validation wrong = cell_for(3, 2, 1);
  CHECK_FALSE(wrong.cells[0].right);
  CHECK(wrong.cells[0].loss == Approx(1));
  CHECK(wrong.summaries[0].right == 0);
  CHECK(wrong.summaries[0].rank_correlation.value_or(0) == Approx(-1));
  const Validation exact = cell_for(110e-6, 104e-6, 200e-6);
  CHECK(exact.summaries[0].median_error == Approx(0).margin(1e-12));
  CHECK(exact.summaries[0].worst_error == Approx(0.1));
  CHECK(exact.summaries[0].runs_from_4k == 3);
}

TEST_CASE("Algorithms with equal simulated times count as one") {
  // In the measurement the ring is the fastest of the three algorithms. The simulator cannot
  // distinguish it from Rabenseifner's algorithm.
  const MeasuredRun ring = measured("allreduce/ring", 8192, 100e-6);
  const MeasuredRun rabenseifner = measured("allreduce/rabenseifner", 8192, 118e-6);
  const MeasuredRun linear = measured("allreduce/basic_linear", 8192, 107e-6);
  const auto cell_for = [&](double linear_s) {
    return validation_of(
               {{&rabenseifner, 100e-6, {}}, {&ring, 100e-6, {}}, {&linear, linear_s, {}}})
        .cells.at(0);
  };
  const ValidatedCell alike = cell_for(200e-6);
  CHECK(alike.picked == 0);
  CHECK(alike.fastest == 2);  // it takes 107 us; the other two take 109 us on average
  CHECK(alike.right);
  CHECK(alike.loss == Approx(109.0 / 107 - 1));
  CHECK(cell_for(90e-6).loss == 0);
}

TEST_CASE("The operation that took longer than expected is found") {
  Problem problem;
  problem.ranks = 4;
  problem.bytes = 64;
  const Schedule schedule = make_schedule(algorithm_named("allreduce/ring"), problem);
  const Timeline simulated = CriticalPathEngine({1e-6, 1e-9, 1e-9, 0}).run(schedule, {});
  Timeline measured = simulated;
  // Operation 5 ends late, and delays all operations that start after its simulated end.
  constexpr OpId kLate = 5;
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (id == kLate || simulated.start_s[id] >= simulated.end_s[kLate]) {
      measured.end_s[id] += 1e-3;
    }
  }
  const auto differences = compare_operations(schedule, measured, simulated, 1);
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].measured_s - differences[0].simulated_s == Approx(1e-3));
  CHECK(simulated.start_s[differences[0].id] <= simulated.end_s[kLate]);
}

}  // namespace tutti::test_validation
