// Tests estimates of the progress of a sweep whose cells do not take as long as expected.
#include "src/experiments/runner/work_estimate.hpp"

#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "src/experiments/runner/runner.hpp"

namespace tutti::test_work_estimate {

namespace {

Case cell(const char* algorithm, std::uint32_t ranks) {
  Case what;
  what.algorithm = &algorithm_named(algorithm);
  what.problem.collective = what.algorithm->collective;
  what.problem.ranks = ranks;
  what.problem.bytes = 1024;
  return what;
}

}  // namespace

TEST_CASE("Finished cells predict the time of other cells of their algorithm", "[progress]") {
  WorkEstimate estimate;
  for (std::size_t i = 0; i < 4; ++i) {
    estimate.add(i, cell("allreduce/ring", 64));
    estimate.add(4 + i, cell("bcast/binomial", 64));
  }
  CHECK(estimate.done().share == 0);
  CHECK_FALSE(estimate.done().left_s);
  // Before any cell has finished, both algorithms are expected to take the same time.
  REQUIRE(expected_work(cell("allreduce/ring", 64)) == expected_work(cell("bcast/binomial", 64)));
  estimate.begin(0);
  estimate.end(0, 9);
  CHECK(estimate.done().share == Approx(1.0 / 8));
  estimate.begin(4);
  estimate.end(4, 1);
  CHECK(estimate.done().share == Approx(10.0 / 40));
  estimate.begin(1);
  estimate.end(1, 9);
  CHECK(estimate.done().share == Approx(19.0 / 40));
  // This process did not run cell 2, so the cell does not change the estimates for other cells.
  estimate.end(2, std::nullopt);
  CHECK(estimate.done().share == Approx(19.0 / 31));
}

TEST_CASE("A running cell counts by its expected progress, and never as done", "[progress]") {
  using std::chrono::seconds;
  WorkEstimate estimate;
  estimate.add(0, cell("allreduce/ring", 64));
  estimate.add(1, cell("allreduce/ring", 64));
  estimate.begin(0);
  estimate.end(0, 10);
  estimate.begin(1);
  const auto now = WorkEstimate::Clock::now();
  CHECK(estimate.done(now + seconds(5)).share == Approx(0.75).epsilon(0.01));
  CHECK(estimate.done(now + seconds(100)).share == Approx(0.975).epsilon(0.01));
  estimate.give_up(1);
  CHECK(estimate.done(now + seconds(100)).share == Approx(0.5));
}

}  // namespace tutti::test_work_estimate
