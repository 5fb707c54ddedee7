#include "sim/mpi/plan/counted_runs.hpp"

#include <catch2/catch.hpp>

namespace tutti::mpi {
namespace {

// Returns runs on two ranks: `disturbed` runs of 30 s, followed by `clean` runs of 1 s.
TimedRuns runs_of(std::uint32_t clean, std::uint32_t disturbed, std::uint32_t wanted) {
  TimedRuns runs;
  runs.times.resize(2);
  runs.wanted = wanted;
  for (std::uint32_t i = 0; i < clean + disturbed; ++i) {
    for (auto& times : runs.times) {
      times.push_back(i < disturbed ? 30 : 1);
    }
    runs.clean.push_back(i >= disturbed);
  }
  return runs;
}

}  // namespace

TEST_CASE("Disturbed runs are left out if enough runs are clean") {
  for (const auto& runs : {runs_of(12, 500, 1000), runs_of(2, 1, 3), runs_of(5, 5, 10)}) {
    const CountedRuns counted = counted_runs(runs);
    CHECK_FALSE(counted.too_busy);
    CHECK(counted.left_out() == counted.disturbed);
    CHECK(counted.done == runs.clean.size());
    CHECK(summary_of(counted.times).median_s == 1);
    CHECK(summary_of(counted.times).iterations == counted.done - counted.disturbed);
  }
}

TEST_CASE("If too few runs are clean, all are kept and the machine counts as busy") {
  for (const auto& runs : {runs_of(9, 500, 1000), runs_of(1, 2, 3), runs_of(0, 20, 10)}) {
    const CountedRuns counted = counted_runs(runs);
    CHECK(counted.too_busy);
    CHECK(counted.left_out() == 0);
    CHECK(counted.disturbed > 0);
    CHECK(summary_of(counted.times).iterations == counted.done);
    CHECK(summary_of(counted.times).median_s == 30);
  }
}

TEST_CASE("A machine without measurements does not count as busy") {
  CHECK_FALSE(counted_runs({}).too_busy);
  CHECK(counted_runs({}).done == 0);
}

TEST_CASE("Repeated measurements are counted together") {
  TimedRuns runs = runs_of(0, 10, 10);
  CHECK(counted_runs(runs).too_busy);
  runs.append(runs_of(12, 0, 10));
  const CountedRuns counted = counted_runs(runs);
  CHECK_FALSE(counted.too_busy);
  CHECK(counted.done == 22);
  CHECK(counted.disturbed == 10);
  CHECK(summary_of(counted.times).median_s == 1);
  CHECK(summary_of(counted.times).iterations == 12);
}

}  // namespace tutti::mpi
