#include "src/experiments/fit/robust_fit.hpp"

#include <Eigen/Cholesky>
#include <boost/math/distributions/students_t.hpp>

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/work_ticker.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kLongestStep = 1;  // largest change of an unknown in one step
// The fit ends when a step changes every unknown by less than kNoStep, or reduces the loss by less
// than kNoGain times the loss.
constexpr double kNoStep = 1e-4;
constexpr double kNoGain = 1e-6;
constexpr double kFirstDamping = 1e-3;
constexpr double kMostDamping = 1e9;

double square(double x) { return x * x; }

// If the start values have weight, the variance of the residuals has a prior too: a scaled inverse
// chi-square distribution with kPriorFreedom degrees of freedom around the square of
// RobustSetup::scale (Gelman et al., Bayesian Data Analysis, 2013, section 3.2). It matters only if
// the residuals leave few degrees of freedom, and would otherwise give almost any variance.
constexpr double kPriorFreedom = 2;

class Fitter {
 public:
  Fitter(const Residuals& residuals, const VectorXd& start, const RobustSetup& setup)
      : residuals_(residuals), setup_(setup), start_(start) {
    fit_.place = start;
  }

  RobustFit run() {
    fit_.residuals = residuals_({fit_.place}).front();
    take_slopes();
    try {
      go_down(total_loss(fit_.place, fit_.residuals));
    } catch (const Cancellation&) {
      stop_requested = false;
      fit_.stopped = true;
      fit_.at_rest = false;
    }
    take_covariance();
    return std::move(fit_);
  }

 private:
  // Takes steps until the fit is at rest.
  void go_down(double loss) {
    double damping = kFirstDamping;
    while (!fit_.at_rest && fit_.steps < setup_.most_steps) {
      ++fit_.steps;
      const VectorXd next = step(damping);
      if ((next - fit_.place).lpNorm<Eigen::Infinity>() < kNoStep) {
        fit_.at_rest = true;
        break;
      }
      VectorXd there = residuals_({next}).front();
      const double lower = total_loss(next, there);
      if (lower < loss) {
        fit_.at_rest = loss - lower < kNoGain * loss;
        loss = lower;
        const VectorXd place = std::exchange(fit_.place, next);
        VectorXd residuals = std::exchange(fit_.residuals, std::move(there));
        damping /= 5;
        try {
          take_slopes();
        } catch (const Cancellation&) {
          fit_.place = place;
          fit_.residuals = std::move(residuals);
          throw;
        }
      } else {
        damping *= 8;
        fit_.at_rest = damping > kMostDamping;
      }
    }
  }

  [[nodiscard]] Eigen::Index size() const { return start_.size(); }

  [[nodiscard]] VectorXd weights() const {
    return fit_.residuals.unaryExpr([this](double r) { return robust_weight(r, setup_.scale); });
  }

  [[nodiscard]] double total_loss(const VectorXd& place, const VectorXd& residuals) const {
    const double of_residuals =
        ((1 + (residuals / setup_.scale).array().square()).sqrt() - 1).sum();
    return 2 * square(setup_.scale) * of_residuals +
           square(setup_.prior) * (place - start_).squaredNorm();
  }

  void take_slopes() {
    fit_.slopes = slopes_at(residuals_, fit_.place, fit_.residuals, setup_);
    fit_.normal = fit_.slopes.transpose() * weights().asDiagonal() * fit_.slopes;
    if (setup_.look) {
      setup_.look(fit_);
    }
  }

  // Returns the next place, or the current one if the equations have no solution.
  [[nodiscard]] VectorXd step(double damping) const {
    const VectorXd downhill = -fit_.slopes.transpose() * weights().cwiseProduct(fit_.residuals) -
                              square(setup_.prior) * (fit_.place - start_);
    MatrixXd matrix = fit_.normal;
    matrix.diagonal().array() += square(setup_.prior);
    constexpr double kTiny = 1e-12;  // keeps an unknown in place if nothing depends on it
    matrix.diagonal() = (1 + damping) * matrix.diagonal().array() + kTiny;
    const Eigen::LLT<MatrixXd> solver(matrix);
    if (solver.info() != Eigen::Success) {
      return fit_.place;
    }
    const VectorXd by = solver.solve(downhill).cwiseMax(-kLongestStep).cwiseMin(kLongestStep);
    return (fit_.place + by).cwiseMax(setup_.least).cwiseMin(setup_.most);
  }

  void take_covariance() {
    const Eigen::Index points = fit_.residuals.size();
    if (points <= size()) {
      return;
    }
    // The slope of the influence of a residual is the cube of its weight.
    const VectorXd weight = weights();
    const double steepness = weight.array().cube().mean();
    MatrixXd matrix = steepness * fit_.slopes.transpose() * fit_.slopes;
    matrix.diagonal().array() += square(setup_.prior);
    const Eigen::LLT<MatrixXd> solver(matrix);
    if (solver.info() != Eigen::Success) {
      return;
    }
    const MatrixXd inverse = solver.solve(MatrixXd::Identity(size(), size()));
    const double influence = weight.cwiseProduct(fit_.residuals).squaredNorm() / steepness;
    // Number of unknowns that the residuals determine: the trace of the hat matrix.
    const double determined = static_cast<double>(size()) - square(setup_.prior) * inverse.trace();
    const double prior_freedom = setup_.prior > 0 ? kPriorFreedom : 0;
    fit_.freedom = static_cast<double>(points) - determined + prior_freedom;
    fit_.covariance = (influence + prior_freedom * square(setup_.scale)) / fit_.freedom * inverse;
  }

  const Residuals& residuals_;
  const RobustSetup& setup_;
  VectorXd start_;
  RobustFit fit_;
};

}  // namespace

double robust_weight(double residual, double scale) {
  return 1 / std::sqrt(1 + square(residual / scale));
}

MatrixXd slopes_at(const Residuals& residuals, const VectorXd& place, const VectorXd& there,
                   const RobustSetup& setup) {
  std::vector<VectorXd> places(static_cast<std::size_t>(place.size()), place);
  VectorXd by = VectorXd::Constant(place.size(), setup.difference);
  for (Eigen::Index j = 0; j < place.size(); ++j) {
    by[j] = place[j] + by[j] > setup.most[j] ? -by[j] : by[j];
    places[static_cast<std::size_t>(j)][j] += by[j];
  }
  const std::vector<VectorXd> beside = residuals(places);
  MatrixXd slopes(there.size(), place.size());
  for (Eigen::Index j = 0; j < place.size(); ++j) {
    slopes.col(j) = (beside[static_cast<std::size_t>(j)] - there) / by[j];
  }
  return slopes;
}

RobustFit robust_fit(const Residuals& residuals, const VectorXd& start, const RobustSetup& setup) {
  TUTTI_INVARIANT(setup.least.size() == start.size() && setup.most.size() == start.size());
  return Fitter(residuals, start, setup).run();
}

double student_95(double freedom) {
  constexpr double kUpTo = 0.975;
  // Only double: tables of long double would be computed whenever any command starts.
  using namespace boost::math::policies;  // NOLINT(google-build-using-namespace)
  using StudentsT = boost::math::students_t_distribution<double, policy<promote_double<false>>>;
  return boost::math::quantile(StudentsT(freedom), kUpTo);
}

}}  // namespace tutti::experiments
