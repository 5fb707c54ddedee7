// Least squares of a few unknowns: against what is known in closed form.
#include "src/experiments/fit/robust_fit.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace tutti::test_robust_fit {
namespace {

RobustSetup two_unknowns(double scale) {
  RobustSetup setup;
  setup.scale = scale;
  setup.least = {-100, -100};
  setup.most = {100, 100};
  return setup;
}

// Of y = a + b x at x = 0, 1, 2, ...
Residuals line_through(std::vector<double> y) {
  return [y = std::move(y)](const std::vector<std::vector<double>>& places) {
    std::vector<std::vector<double>> found;
    for (const std::vector<double>& place : places) {
      std::vector<double>& residuals = found.emplace_back();
      for (std::size_t x = 0; x < y.size(); ++x) {
        residuals.push_back(place[0] + place[1] * static_cast<double>(x) - y[x]);
      }
    }
    return found;
  };
}

}  // namespace

TEST_CASE("small symmetric matrices: solutions, inverses and eigenvalues") {
  SymmetricMatrix a(2);
  a.add(0, 0, 2);
  a.add(0, 1, 1);
  a.add(1, 1, 2);
  const auto x = solve(a, {4, 5});
  REQUIRE(x);
  CHECK((*x)[0] == Approx(1));
  CHECK((*x)[1] == Approx(2));
  const auto inverted = inverse(a);
  REQUIRE(inverted);
  CHECK((*inverted)(0, 0) == Approx(2. / 3));
  CHECK((*inverted)(1, 0) == Approx(-1. / 3));
  const auto pairs = eigen_pairs(a);
  CHECK(pairs[0].value == Approx(1));
  CHECK(pairs[1].value == Approx(3));
  CHECK(pairs[0].vector[0] == Approx(-pairs[0].vector[1]));
  SymmetricMatrix singular(2);
  singular.add(0, 0, 1);
  singular.add(0, 1, 1);
  singular.add(1, 1, 1);
  CHECK_FALSE(solve(singular, {1, 1}));

  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  SymmetricMatrix large(6);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      large.add(i, j, any(random));
    }
  }
  double trace = 0;
  for (const EigenPair& pair : eigen_pairs(large)) {
    trace += pair.value;
    for (std::size_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 6; ++j) {
        sum += large(i, j) * pair.vector[j];
      }
      CHECK(sum == Approx(pair.value * pair.vector[i]).margin(1e-12));
    }
  }
  double diagonal = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    diagonal += large(i, i);
  }
  CHECK(trace == Approx(diagonal));
}

TEST_CASE("a line through points: ordinary least squares where no residual is large") {
  // By hand: slope 0.6, intercept 0.9, residuals 0.1, -0.3, 0.3, -0.1; s^2 = 0.2 / 2.
  const Residuals residuals = line_through({1, 1.2, 2.4, 2.6});
  const RobustFit fit = robust_fit(residuals, {5, -5}, two_unknowns(1e6));
  CHECK(fit.at_rest);
  CHECK(fit.place[0] == Approx(0.9));
  CHECK(fit.place[1] == Approx(0.6));
  REQUIRE(fit.covariance.size() == 2);
  CHECK(fit.covariance(1, 1) == Approx(0.1 / 5));
  CHECK(fit.covariance(0, 0) == Approx(0.1 * 14 / 20));
  CHECK(fit.covariance(0, 1) == Approx(-0.1 * 6 / 20));
}

TEST_CASE("a line through points: an outlier hardly pulls") {
  std::vector<double> y;
  for (int x = 0; x < 12; ++x) {
    y.push_back(2 + 0.5 * x + (x % 2 == 0 ? 0.02 : -0.02));
  }
  y[7] += 50;
  const RobustFit robust = robust_fit(line_through(y), {0, 0}, two_unknowns(0.1));
  CHECK(robust.place[0] == Approx(2).margin(0.05));
  CHECK(robust.place[1] == Approx(0.5).margin(0.02));
  const RobustFit plain = robust_fit(line_through(y), {0, 0}, two_unknowns(1e6));
  CHECK(std::fabs(plain.place[0] - 2) > 1);
}

TEST_CASE("a line through points: bounds, and a start that holds") {
  const Residuals residuals = line_through({1, 1.2, 2.4, 2.6});
  RobustSetup bounded = two_unknowns(1e6);
  bounded.most = {0.5, 100};
  CHECK(robust_fit(residuals, {0, 0}, bounded).place[0] == Approx(0.5));
  RobustSetup held = two_unknowns(1e6);
  held.prior = 1e4;
  CHECK(robust_fit(residuals, {3, 0.2}, held).place[0] == Approx(3).epsilon(1e-3));
}

TEST_CASE("Student's distribution: where 95 % lie") {
  CHECK(student_95(1) == Approx(12.706).epsilon(1e-4));
  CHECK(student_95(10) == Approx(2.228).epsilon(1e-3));
  CHECK(student_95(1000) == Approx(1.962).epsilon(1e-3));
}

}  // namespace tutti::test_robust_fit
