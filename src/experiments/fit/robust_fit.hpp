// Robust least squares of a few unknowns: Levenberg and Marquardt's method with derivatives by
// differences (Nocedal and Wright, Numerical Optimization, 2006, section 10.3), on a loss that
// grows like the square of a small residual and like the size of a large one, so that outliers
// hardly pull.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "src/experiments/fit/symmetric_matrix.hpp"

namespace tutti::inline experiments {

// Residuals at each of several places.
using Residuals =
    std::function<std::vector<std::vector<double>>(const std::vector<std::vector<double>>& places)>;

struct RobustFit {
  std::vector<double> place;
  std::vector<double> residuals;            // there
  std::vector<std::vector<double>> slopes;  // of each residual, by the unknowns
  std::size_t steps = 0;
  bool at_rest = false;       // a step would change nothing any more
  SymmetricMatrix normal{0};  // of the weighted slopes, without the prior
  // Of the unknowns' estimates (Huber, Robust Statistics, 1981, section 7.6): variances and
  // covariances; empty where the normal matrix, with the prior, has no inverse.
  SymmetricMatrix covariance{0};
};

struct RobustSetup {
  // Where the loss 2 s^2 (sqrt(1 + (r/s)^2) - 1) of a residual r goes from square to straight.
  double scale = 0.1;
  double difference = 1e-3;  // of an unknown, for derivatives
  // An unknown that is 1 away from its start weighs as much as a small residual of so much; 0: the
  // start does not hold it.
  double prior = 0;
  std::size_t most_steps = 60;
  std::vector<double> least;  // of the unknowns
  std::vector<double> most;
  // Is shown residuals and slopes at the start and after each step, and may throw. May be empty.
  std::function<void(const RobustFit&)> look;
};

// `residuals` gives as many at each place.
[[nodiscard]] RobustFit robust_fit(const Residuals& residuals, std::vector<double> start,
                                   const RobustSetup& setup);

// The part of slopes and weights: weight of a residual, its influence, and the slope of that.
[[nodiscard]] double robust_weight(double residual, double scale);

// How many standard deviations to both sides hold 95 % of Student's distribution.
[[nodiscard]] double student_95(std::size_t freedom);

}  // namespace tutti::inline experiments
