// Robust least squares of a few unknowns: Levenberg and Marquardt's method with derivatives by
// differences (Nocedal and Wright, Numerical Optimization, 2006, section 10.3), on a loss that
// grows like the square of a small residual and like the size of a large one, so that outliers
// hardly pull.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <vector>

namespace tutti::inline experiments {

// Residuals at each of several places.
using Residuals =
    std::function<std::vector<Eigen::VectorXd>(const std::vector<Eigen::VectorXd>& places)>;

struct RobustFit {
  Eigen::VectorXd place;
  Eigen::VectorXd residuals;  // there
  Eigen::MatrixXd slopes;     // a row for each residual, a column for each unknown
  std::size_t steps = 0;
  bool at_rest = false;    // a step would change nothing any more
  Eigen::MatrixXd normal;  // of the weighted slopes, without the prior
  // Of the unknowns' estimates (Huber, Robust Statistics, 1981, section 7.6): variances and
  // covariances; empty where the normal matrix, with the prior, has no inverse.
  Eigen::MatrixXd covariance;
};

struct RobustSetup {
  // Where the loss 2 s^2 (sqrt(1 + (r/s)^2) - 1) of a residual r goes from square to straight.
  double scale = 0.1;
  double difference = 1e-3;  // of an unknown, for derivatives
  // An unknown that is 1 away from its start weighs as much as a small residual of so much; 0: the
  // start does not hold it.
  double prior = 0;
  std::size_t most_steps = 60;
  Eigen::VectorXd least;  // of the unknowns
  Eigen::VectorXd most;
  // Is shown residuals and slopes at the start and after each step, and may throw. May be empty.
  std::function<void(const RobustFit&)> look;
};

// `residuals` gives as many at each place.
[[nodiscard]] RobustFit robust_fit(const Residuals& residuals, const Eigen::VectorXd& start,
                                   const RobustSetup& setup);

// The part of slopes and weights: weight of a residual, its influence, and the slope of that.
[[nodiscard]] double robust_weight(double residual, double scale);

// How many standard deviations to both sides hold 95 % of Student's distribution.
[[nodiscard]] double student_95(std::size_t freedom);

}  // namespace tutti::inline experiments
