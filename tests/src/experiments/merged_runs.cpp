// Tests that searches which run at once get the results of their own runs.
#include "src/experiments/runner/merged_runs.hpp"

#include <catch2/catch.hpp>

#include <sstream>
#include <stdexcept>

namespace tutti::test_merged_runs {
using Catch::Contains;

namespace {

// Gives each case its number of bytes, in seconds, as its time. Records the sizes of waves.
class FakeRunner final : public Runner {
 public:
  explicit FakeRunner(Messages& messages) : Runner(messages) {}

  std::vector<std::size_t> waves;
  std::size_t fails_in_wave = 0;  // 0: in none

 private:
  void run_open(std::vector<CaseRun>& runs, const std::string&) override {
    waves.push_back(runs.size());
    if (waves.size() == fails_in_wave) {
      throw std::runtime_error("the runner has failed");
    }
    for (CaseRun& run : runs) {
      RunResult result;
      result.simulated_s = static_cast<double>(run.problem.bytes);
      run.outcome = std::move(result);
    }
  }
};

// Returns a search of `waves` waves. Wave k has k runs, and the bytes of each run depend on the
// results before it.
MergedRuns::Search counting_search(std::uint64_t first_bytes, std::size_t waves,
                                   std::vector<double>& times) {
  return [=, &times](Runner& runner) {
    double last_s = static_cast<double>(first_bytes);
    for (std::size_t wave = 1; wave <= waves; ++wave) {
      std::vector<CaseRun> runs(wave);
      for (CaseRun& run : runs) {
        last_s += 1;
        run.problem.bytes = static_cast<std::uint64_t>(last_s);
      }
      runner.run(runs, "searching", Runner::KnownCases::so_far);
      for (const CaseRun& run : runs) {
        last_s = run.outcome.result()->simulated_s;
        times.push_back(last_s);
      }
    }
  };
}

std::vector<double> counted_from(std::uint64_t first, std::size_t waves) {
  std::vector<double> times;
  for (std::size_t i = 1; i <= waves * (waves + 1) / 2; ++i) {
    times.push_back(static_cast<double>(first + i));
  }
  return times;
}

}  // namespace

TEST_CASE("searches that run at once share waves, and get their own results") {
  for (const std::size_t active : {1U, 2U, 5U}) {
    KeptMessages nobody;
    FakeRunner runner(nobody);
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> c;
    MergedRuns(runner, active)
        .run({counting_search(100, 1, a), counting_search(200, 4, b), [](Runner&) {},
              counting_search(300, 2, c)});
    CHECK(a == counted_from(100, 1));
    CHECK(b == counted_from(200, 4));
    CHECK(c == counted_from(300, 2));
    CHECK(runner.waves == std::vector<std::size_t>{3, 4, 3, 4});
  }
}

TEST_CASE("a failure of the runner ends all searches that run at once") {
  KeptMessages nobody;
  FakeRunner runner(nobody);
  runner.fails_in_wave = 2;
  std::vector<double> a;
  std::vector<double> b;
  CHECK_THROWS_WITH(
      MergedRuns(runner, 1).run({counting_search(100, 3, a), counting_search(200, 1, b)}),
      Contains("the runner has failed"));
  CHECK(a.size() == 1);
  CHECK(b.size() == 1);
  CHECK(runner.waves.size() == 2);
}

TEST_CASE("if searches that run at once fail, the first failure in the list is reported") {
  KeptMessages nobody;
  FakeRunner runner(nobody);
  std::vector<double> a;
  const auto failing = [](const char* why, std::size_t waves) -> MergedRuns::Search {
    return [=](Runner& own) {
      std::vector<double> times;
      counting_search(0, waves, times)(own);
      throw std::runtime_error(why);
    };
  };
  CHECK_THROWS_WITH(MergedRuns(runner, 2).run(
                        {counting_search(100, 3, a), failing("first", 2), failing("second", 0)}),
                    "first");
  CHECK(a == counted_from(100, 3));
}

}  // namespace tutti::test_merged_runs
