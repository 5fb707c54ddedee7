// Tests the estimates of the spread of jobs and of points on residuals with a known spread.
#include "src/experiments/fit/fit_spread.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <random>

#include "src/experiments/fit/robust_fit.hpp"
#include "src/simulation/model_uncertainty.hpp"

namespace tutti::test_fit_spread {
namespace {

struct FitCase {
  RobustFit fit;
  RobustSetup setup;
  std::vector<std::size_t> job_of;
  std::vector<std::size_t> cell_of;  // each has one point, unless a test changes this
};

// Fits a constant and a slope to `jobs` jobs of 20 values each, which differ from 0 by a value of
// their job and one of their own, with the standard deviations `job` and `point`. Every tenth value
// is an outlier of size `outlier`, if that is not 0.
FitCase made(std::size_t jobs, double job, double point, double outlier = 2, unsigned seed = 7) {
  FitCase found;
  constexpr int kPerJob = 20;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto count = static_cast<Eigen::Index>(jobs * kPerJob);
  Eigen::VectorXd values(count);
  Eigen::MatrixXd slopes(count, 2);
  double of_job = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const bool first = i % kPerJob == 0;
    of_job = first ? job * normal(random) : of_job;
    values[i] = of_job + (outlier != 0 && i % 10 == 9 ? outlier : point * normal(random));
    slopes(i, 0) = 1;
    slopes(i, 1) = normal(random);
    found.job_of.push_back(static_cast<std::size_t>(i / kPerJob));
    found.cell_of.push_back(static_cast<std::size_t>(i));
  }
  found.setup.least = Eigen::Vector2d(-100, -100);
  found.setup.most = Eigen::Vector2d(100, 100);
  found.fit = robust_fit(
      [&](const std::vector<Eigen::VectorXd>& places) {
        std::vector<Eigen::VectorXd> all;
        for (const Eigen::VectorXd& place : places) {
          all.emplace_back(slopes * place - values);
        }
        return all;
      },
      Eigen::Vector2d(0, 0), found.setup);
  return found;
}

}  // namespace

TEST_CASE("the spread of jobs and points is found, with 10 % of outliers") {
  const FitCase many = made(60, 0.3, 0.1);
  const FitSpread spread =
      fit_spread(many.fit, many.job_of.size(), many.setup, many.job_of, many.cell_of);
  CHECK(spread.jobs == 60);
  // Outliers count as large values, so the central 80 % of all values are the central 80/90 of the
  // others: the spread is up to 1.6 / 1.28 times theirs.
  CHECK(spread.point == Approx(0.125).margin(0.03));
  CHECK(spread.job == Approx(0.35).margin(0.09));
  const FitCase alike = made(60, 0, 0.1);
  CHECK(fit_spread(alike.fit, alike.job_of.size(), alike.setup, alike.job_of, alike.cell_of).job <
        0.05);
}

TEST_CASE("a range from a few jobs holds 80 % of the times of a further job") {
  constexpr unsigned kSets = 300;
  constexpr double kWidth = 1.281552;
  const double whole = std::hypot(0.3, 0.1);
  for (const std::size_t jobs : {std::size_t{4}, std::size_t{10}}) {
    double held = 0;
    for (unsigned seed = 1; seed <= kSets; ++seed) {
      const FitCase set = made(jobs, 0.3, 0.1, 0, seed);
      const FitSpread spread =
          fit_spread(set.fit, set.job_of.size(), set.setup, set.job_of, set.cell_of);
      const double off = set.fit.place[0];  // of the fitted constant
      const double half = kWidth * std::hypot(spread.job, spread.point);
      held += (std::erf((half - off) / whole / std::numbers::sqrt2) +
               std::erf((half + off) / whole / std::numbers::sqrt2)) /
              2 / kSets;
    }
    INFO(jobs);
    CHECK(held == Approx(0.8).margin(0.04));
  }
}

TEST_CASE("points that were not fitted count for the spread only") {
  // Three jobs are fitted well. The residuals of a fourth one are 1, and it would have had a large
  // effect on the fit.
  FitCase some = made(3, 0, 0.02, 0);
  const std::size_t fitted = some.job_of.size();
  constexpr Eigen::Index kMore = 20;
  const auto all = static_cast<Eigen::Index>(fitted) + kMore;
  some.fit.residuals.conservativeResize(all);
  some.fit.residuals.tail(kMore).setOnes();
  some.fit.slopes.conservativeResize(all, Eigen::NoChange);
  some.fit.slopes.bottomRows(kMore).setConstant(3);
  for (Eigen::Index i = 0; i < kMore; ++i) {
    some.job_of.push_back(3);
    some.cell_of.push_back(some.cell_of.size());
  }
  const FitSpread spread = fit_spread(some.fit, fitted, some.setup, some.job_of, some.cell_of);
  CHECK(spread.jobs == 4);
  CHECK(spread.point < 0.05);
  // At 80 % of the times and more, the range just holds those of the fourth job.
  CHECK(std::hypot(spread.job, spread.point) == Approx(1 / 1.281552).epsilon(0.02));
}

TEST_CASE("what the points of a cell share does not count for the spread of points") {
  FitCase some = made(30, 0, 0.1, 0);
  for (std::size_t i = 0; i < some.cell_of.size(); ++i) {
    some.cell_of[i] = i / 4;
    some.fit.residuals[static_cast<Eigen::Index>(i)] += i / 4 % 2 == 0 ? 0.5 : 0;
  }
  const FitSpread spread =
      fit_spread(some.fit, some.job_of.size(), some.setup, some.job_of, some.cell_of);
  CHECK(spread.point == Approx(0.1).margin(0.03));
  CHECK(spread.job > 0.3);
}

TEST_CASE("cells with several points count if there are enough of them in a job") {
  FitCase some = made(5, 0.3, 0.1, 0);
  const auto spread = [&] {
    return fit_spread(some.fit, some.job_of.size(), some.setup, some.job_of, some.cell_of);
  };
  const double alone = spread().point;
  CHECK(alone > 0.08);
  some.cell_of[1] = some.cell_of[0];  // one pair
  CHECK(spread().point == alone);
  for (std::size_t i = 0; i < some.cell_of.size(); ++i) {
    some.cell_of[i] = i % 20;  // cells that span jobs, but have one point in each
  }
  CHECK(spread().point == alone);
}

TEST_CASE("with fewer than three jobs, the spread of jobs is the default") {
  for (const std::size_t jobs : {std::size_t{1}, std::size_t{2}}) {
    const FitCase few = made(jobs, 0, 0.1);
    const FitSpread spread =
        fit_spread(few.fit, few.job_of.size(), few.setup, few.job_of, few.cell_of);
    CHECK(spread.jobs == 0);
    CHECK(spread.job == kDefaultJobSpread);
    CHECK(spread.point == Approx(0.12).margin(0.06));
  }
  const FitCase three = made(3, 0, 0.1);
  CHECK(fit_spread(three.fit, three.job_of.size(), three.setup, three.job_of, three.cell_of).jobs ==
        3);
}

}  // namespace tutti::test_fit_spread
