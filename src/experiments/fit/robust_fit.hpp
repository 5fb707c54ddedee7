// Robust least squares for a few unknowns, by the method of Levenberg and Marquardt with
// derivatives from finite differences (Nocedal and Wright, Numerical Optimization, 2006, section
// 10.3). The loss is quadratic for small residuals and linear for large ones, so that outliers have
// little influence.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <functional>
#include <vector>

namespace tutti { inline namespace experiments {

// Computes the residuals at each of several places, which are vectors of the unknowns.
using Residuals =
    std::function<std::vector<Eigen::VectorXd>(const std::vector<Eigen::VectorXd>& places)>;

struct RobustFit {
  Eigen::VectorXd place;
  Eigen::VectorXd residuals;  // at `place`
  Eigen::MatrixXd slopes;     // one row per residual, one column per unknown
  std::size_t steps = 0;
  // True if the fit has converged, so that another step would change almost nothing.
  bool at_rest = false;
  bool stopped = false;    // true if the work had to end early; `place` is that of the last step
  Eigen::MatrixXd normal;  // normal matrix of the weighted slopes, without the prior
  // Covariance matrix of the estimates: of the posterior, if the start values have weight. Without
  // a prior and with many residuals, it is that of Huber (Robust Statistics, 1981, section 7.6).
  // Empty if there are no more residuals than unknowns, or if the normal matrix, with the prior,
  // has no inverse.
  Eigen::MatrixXd covariance;
  // Degrees of freedom of Student's distribution of the estimates.
  double freedom = 0;
};

struct RobustSetup {
  // The residual s at which the loss 2 s^2 (sqrt(1 + (r/s)^2) - 1) of a residual r changes from
  // quadratic to linear.
  double scale = 0.1;
  double difference = 1e-3;  // change of an unknown, for finite differences
  // Weight of the start values: an unknown at distance 1 from its start value adds as much to the
  // loss as a small residual of this size. 0: the start values have no weight.
  double prior = 0;
  std::size_t most_steps = 60;
  // Lower and upper bounds of the unknowns.
  Eigen::VectorXd least;
  Eigen::VectorXd most;
  // Function that is called at the start, and after each step that reduces the loss, with the fit
  // so far, including its residuals and slopes. May throw. May be empty.
  std::function<void(const RobustFit&)> look;
};

// Returns the derivatives of the residuals at `place`, where they are `there`: one row per
// residual, one column per unknown. Calls `residuals` only once, for several places.
[[nodiscard]] Eigen::MatrixXd slopes_at(const Residuals& residuals, const Eigen::VectorXd& place,
                                        const Eigen::VectorXd& there, const RobustSetup& setup);

// Returns the fit that begins at `start`. If the work must end early (base/work_ticker.hpp),
// returns the fit so far; throws Stopped if there is none. `residuals` must return the same number
// of residuals at each place.
[[nodiscard]] RobustFit robust_fit(const Residuals& residuals, const Eigen::VectorXd& start,
                                   const RobustSetup& setup);

// Weight of a residual in the normal matrix: 1 / sqrt(1 + (residual / scale)^2). The influence of a
// residual is the product of the residual and its weight.
[[nodiscard]] double robust_weight(double residual, double scale);

// Returns how many standard deviations on either side of the mean cover 95 % of Student's
// distribution with `freedom` degrees of freedom.
[[nodiscard]] double student_95(double freedom);

}}  // namespace tutti::experiments
