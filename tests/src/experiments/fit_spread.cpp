// Tests the estimates of the spread of jobs and of points on residuals with a known spread.
#include "src/experiments/fit/fit_spread.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "src/simulation/model_uncertainty.hpp"

namespace tutti::test_fit_spread {
namespace {

struct Made {
  RobustFit fit;
  RobustSetup setup;
  std::vector<std::size_t> job_of;
};

// Fits a constant and a slope to `jobs` jobs of 20 values each, which differ from 0 by a value of
// their job and one of their own, with the standard deviations `job` and `point`. Every tenth value
// is an outlier of size 2.
Made made(std::size_t jobs, double job, double point, double prior = 0) {
  Made found;
  constexpr int kPerJob = 20;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto count = static_cast<Eigen::Index>(jobs * kPerJob);
  Eigen::VectorXd values(count);
  Eigen::MatrixXd slopes(count, 2);
  double of_job = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const bool first = i % kPerJob == 0;
    of_job = first ? job * normal(random) : of_job;
    values[i] = of_job + (i % 10 == 9 ? 2 : point * normal(random));
    slopes(i, 0) = 1;
    slopes(i, 1) = normal(random);
    found.job_of.push_back(static_cast<std::size_t>(i / kPerJob));
  }
  found.setup.prior = prior;
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
  const Made many = made(60, 0.3, 0.1);
  const FitSpread spread = fit_spread(many.fit, many.setup, many.job_of);
  CHECK(spread.jobs == 60);
  // Outliers count as large values, so the central 80 % of all values are the central 80/90 of the
  // others: the spread is up to 1.6 / 1.28 times theirs.
  CHECK(spread.point == Approx(0.125).margin(0.03));
  CHECK(spread.job == Approx(0.33).margin(0.09));
  const Made alike = made(60, 0, 0.1);
  CHECK(fit_spread(alike.fit, alike.setup, alike.job_of).job < 0.05);
}

TEST_CASE("with fewer than three jobs, the spread of jobs is the default") {
  for (const std::size_t jobs : {std::size_t{1}, std::size_t{2}}) {
    const Made few = made(jobs, 0, 0.1);
    const FitSpread spread = fit_spread(few.fit, few.setup, few.job_of);
    CHECK(spread.jobs == 0);
    CHECK(spread.job == kDefaultJobSpread);
    CHECK(spread.point == Approx(0.12).margin(0.06));
  }
  const Made three = made(3, 0, 0.1);
  CHECK(fit_spread(three.fit, three.setup, three.job_of).jobs == 3);
}

}  // namespace tutti::test_fit_spread
