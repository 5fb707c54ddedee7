#include "src/experiments/fit/robust_fit.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace tutti::inline experiments {

namespace {

constexpr double kLongestStep = 1;  // of an unknown, at a time
constexpr double kNoStep = 1e-4;    // a step that changes nothing
constexpr double kNoGain = 1e-6;    // of the loss, relative
constexpr double kFirstDamping = 1e-3;
constexpr double kMostDamping = 1e9;

double square(double x) { return x * x; }

double loss_of(const std::vector<double>& residuals, double scale) {
  double sum = 0;
  for (const double r : residuals) {
    sum += 2 * square(scale) * (std::sqrt(1 + square(r / scale)) - 1);
  }
  return sum;
}

class Fitter {
 public:
  Fitter(const Residuals& residuals, std::vector<double> start, const RobustSetup& setup)
      : residuals_(residuals), setup_(setup), start_(start) {
    fit_.place = std::move(start);
  }

  RobustFit run() {
    fit_.residuals = residuals_({fit_.place}).front();
    double loss = total_loss(fit_.place, fit_.residuals);
    double damping = kFirstDamping;
    take_slopes();
    look();
    while (!fit_.at_rest && fit_.steps < setup_.most_steps) {
      ++fit_.steps;
      const std::vector<double> next = step(damping);
      const double longest = distance(next, fit_.place);
      if (longest < kNoStep) {
        fit_.at_rest = true;
        break;
      }
      std::vector<double> there = residuals_({next}).front();
      const double lower = total_loss(next, there);
      if (lower < loss) {
        fit_.at_rest = loss - lower < kNoGain * loss;
        loss = lower;
        fit_.place = next;
        fit_.residuals = std::move(there);
        damping /= 5;
        take_slopes();
        look();
      } else {
        damping *= 8;
        fit_.at_rest = damping > kMostDamping;
      }
    }
    take_covariance();
    return std::move(fit_);
  }

 private:
  [[nodiscard]] std::size_t size() const { return start_.size(); }

  [[nodiscard]] double total_loss(const std::vector<double>& place,
                                  const std::vector<double>& residuals) const {
    double loss = loss_of(residuals, setup_.scale);
    for (std::size_t j = 0; j < size(); ++j) {
      loss += square(setup_.prior * (place[j] - start_[j]));
    }
    return loss;
  }

  static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double longest = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      longest = std::max(longest, std::fabs(a[j] - b[j]));
    }
    return longest;
  }

  // Of all unknowns at once, since places can be looked at side by side.
  void take_slopes() {
    std::vector<std::vector<double>> places(size(), fit_.place);
    std::vector<double> by(size(), setup_.difference);
    for (std::size_t j = 0; j < size(); ++j) {
      if (fit_.place[j] + by[j] > setup_.most[j]) {
        by[j] = -by[j];
      }
      places[j][j] += by[j];
    }
    const auto there = residuals_(places);
    fit_.slopes.assign(fit_.residuals.size(), std::vector<double>(size()));
    for (std::size_t i = 0; i < fit_.residuals.size(); ++i) {
      for (std::size_t j = 0; j < size(); ++j) {
        fit_.slopes[i][j] = (there[j][i] - fit_.residuals[i]) / by[j];
      }
    }
    fit_.normal = SymmetricMatrix(size());
    for (std::size_t i = 0; i < fit_.residuals.size(); ++i) {
      const double weight = robust_weight(fit_.residuals[i], setup_.scale);
      for (std::size_t j = 0; j < size(); ++j) {
        for (std::size_t k = 0; k <= j; ++k) {
          fit_.normal.add(k, j, weight * fit_.slopes[i][j] * fit_.slopes[i][k]);
        }
      }
    }
  }

  void look() const {
    if (setup_.look) {
      setup_.look(fit_);
    }
  }

  [[nodiscard]] SymmetricMatrix with_prior() const {
    SymmetricMatrix matrix = fit_.normal;
    for (std::size_t j = 0; j < size(); ++j) {
      matrix.add(j, j, square(setup_.prior));
    }
    return matrix;
  }

  // Where to go next; here, where nothing leads anywhere.
  [[nodiscard]] std::vector<double> step(double damping) const {
    std::vector<double> downhill(size());
    for (std::size_t i = 0; i < fit_.residuals.size(); ++i) {
      const double pull = robust_weight(fit_.residuals[i], setup_.scale) * fit_.residuals[i];
      for (std::size_t j = 0; j < size(); ++j) {
        downhill[j] -= pull * fit_.slopes[i][j];
      }
    }
    SymmetricMatrix matrix = with_prior();
    constexpr double kTiny = 1e-12;  // an unknown that nothing depends on stays
    for (std::size_t j = 0; j < size(); ++j) {
      downhill[j] -= square(setup_.prior) * (fit_.place[j] - start_[j]);
      matrix.add(j, j, damping * matrix(j, j) + kTiny);
    }
    const auto by = solve(matrix, downhill);
    std::vector<double> next = fit_.place;
    for (std::size_t j = 0; by && j < size(); ++j) {
      next[j] = std::clamp(next[j] + std::clamp((*by)[j], -kLongestStep, kLongestStep),
                           setup_.least[j], setup_.most[j]);
    }
    return next;
  }

  void take_covariance() {
    const std::size_t points = fit_.residuals.size();
    if (points <= size()) {
      return;
    }
    SymmetricMatrix slopes(size());
    double influence = 0;
    double steepness = 0;
    for (std::size_t i = 0; i < points; ++i) {
      for (std::size_t j = 0; j < size(); ++j) {
        for (std::size_t k = 0; k <= j; ++k) {
          slopes.add(k, j, fit_.slopes[i][j] * fit_.slopes[i][k]);
        }
      }
      const double weight = robust_weight(fit_.residuals[i], setup_.scale);
      influence += square(weight * fit_.residuals[i]);
      steepness += weight * weight * weight;
    }
    for (std::size_t j = 0; j < size(); ++j) {
      slopes.add(j, j, square(setup_.prior));
    }
    const auto inverted = inverse(slopes);
    if (!inverted) {
      return;
    }
    const auto all = static_cast<double>(points);
    const double variance =
        influence / static_cast<double>(points - size()) / square(steepness / all);
    fit_.covariance = SymmetricMatrix(size());
    for (std::size_t j = 0; j < size(); ++j) {
      for (std::size_t k = 0; k <= j; ++k) {
        fit_.covariance.add(k, j, variance * (*inverted)(k, j));
      }
    }
  }

  const Residuals& residuals_;
  const RobustSetup& setup_;
  std::vector<double> start_;
  RobustFit fit_;
};

}  // namespace

double robust_weight(double residual, double scale) {
  return 1 / std::sqrt(1 + square(residual / scale));
}

RobustFit robust_fit(const Residuals& residuals, std::vector<double> start,
                     const RobustSetup& setup) {
  TUTTI_INVARIANT(setup.least.size() == start.size() && setup.most.size() == start.size());
  return Fitter(residuals, std::move(start), setup).run();
}

double student_95(std::size_t freedom) {
  constexpr double kUpTo = 0.975;
  return boost::math::quantile(boost::math::students_t(static_cast<double>(freedom)), kUpTo);
}

}  // namespace tutti::inline experiments
