// Compares robust least-squares fits of a few unknowns with closed-form solutions.
#include "src/experiments/fit/robust_fit.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace tutti::test_robust_fit {
namespace {

RobustSetup two_unknowns(double scale) {
  RobustSetup setup;
  setup.scale = scale;
  setup.least = Eigen::Vector2d(-100, -100);
  setup.most = Eigen::Vector2d(100, 100);
  return setup;
}

// Returns the residuals of y = a + b x at x = 0, 1, 2, ...
Residuals line_through(std::vector<double> y) {
  return [y = std::move(y)](const std::vector<Eigen::VectorXd>& places) {
    const Eigen::VectorXd measured =
        Eigen::Map<const Eigen::VectorXd>(y.data(), static_cast<Eigen::Index>(y.size()));
    const Eigen::VectorXd x =
        Eigen::VectorXd::LinSpaced(measured.size(), 0, static_cast<double>(measured.size() - 1));
    std::vector<Eigen::VectorXd> found;
    for (const Eigen::VectorXd& place : places) {
      found.emplace_back((place[0] + (place[1] * x).array()).matrix() - measured);
    }
    return found;
  };
}

}  // namespace

TEST_CASE("a line through points: ordinary least squares if no residual is large") {
  // Computed by hand: the slope is 0.6, the intercept 0.9, and the residuals are 0.1, -0.3, 0.3 and
  // -0.1, so their variance with two degrees of freedom is 0.2 / 2.
  const Residuals residuals = line_through({1, 1.2, 2.4, 2.6});
  const RobustFit fit = robust_fit(residuals, Eigen::Vector2d(5, -5), two_unknowns(1e6));
  CHECK(fit.at_rest);
  CHECK(fit.place[0] == Approx(0.9));
  CHECK(fit.place[1] == Approx(0.6));
  REQUIRE(fit.covariance.rows() == 2);
  CHECK(fit.covariance(1, 1) == Approx(0.1 / 5));
  CHECK(fit.covariance(0, 0) == Approx(0.1 * 14 / 20));
  CHECK(fit.covariance(0, 1) == Approx(-0.1 * 6 / 20));
}

TEST_CASE("a line through points: an outlier has little effect") {
  std::vector<double> y;
  for (int x = 0; x < 12; ++x) {
    y.push_back(2 + 0.5 * x + (x % 2 == 0 ? 0.02 : -0.02));
  }
  y[7] += 50;
  const RobustFit robust = robust_fit(line_through(y), Eigen::Vector2d(0, 0), two_unknowns(0.1));
  CHECK(robust.place[0] == Approx(2).margin(0.05));
  CHECK(robust.place[1] == Approx(0.5).margin(0.02));
  const RobustFit plain = robust_fit(line_through(y), Eigen::Vector2d(0, 0), two_unknowns(1e6));
  CHECK(std::fabs(plain.place[0] - 2) > 1);
}

TEST_CASE("a line through points: bounds, and a start value with a strong prior") {
  const Residuals residuals = line_through({1, 1.2, 2.4, 2.6});
  RobustSetup bounded = two_unknowns(1e6);
  bounded.most = Eigen::Vector2d(0.5, 100);
  CHECK(robust_fit(residuals, Eigen::Vector2d(0, 0), bounded).place[0] == Approx(0.5));
  RobustSetup held = two_unknowns(1e6);
  held.prior = 1e4;
  CHECK(robust_fit(residuals, Eigen::Vector2d(3, 0.2), held).place[0] == Approx(3).epsilon(1e-3));
}

TEST_CASE("Student's distribution: the range of 95 % is right") {
  CHECK(student_95(1) == Approx(12.706).epsilon(1e-4));
  CHECK(student_95(10) == Approx(2.228).epsilon(1e-3));
  CHECK(student_95(1000) == Approx(1.962).epsilon(1e-3));
}

}  // namespace tutti::test_robust_fit
