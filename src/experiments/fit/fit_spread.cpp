#include "src/experiments/fit/fit_spread.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/median.hpp"
#include "src/simulation/model_uncertainty.hpp"

namespace tutti::inline experiments {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kCentral = 0.8;            // share of the residuals that set the spread
constexpr double kCentralWidth = 1.281552;  // standard normal distribution: P(|z| < this) = 0.8

double squared(double x) { return x * x; }

struct Weighted {
  double size = 0;
  double weight = 0;
};

// Returns the standard deviation of the normal distribution for which the weighted share kCentral
// of the values is smaller; 0 if there are none.
double central_spread(std::vector<Weighted> values) {
  std::ranges::sort(values, {}, &Weighted::size);
  double total = 0;
  for (const Weighted& each : values) {
    total += each.weight;
  }
  double sum = 0;
  for (const Weighted& each : values) {
    sum += each.weight;
    if (sum >= kCentral * total) {
      return each.size / kCentralWidth;
    }
  }
  return 0;
}

struct LeftOutJob {
  VectorXd residuals;  // of the job, predicted by the fit without it
  VectorXd variances;  // of these predictions, due to the parameters
};

// Predicts a job by the fit without it: one Gauss-Newton step from the fit with it.
LeftOutJob without_job(const RobustFit& fit, const RobustSetup& setup,
                       const std::vector<Eigen::Index>& rows) {
  const Eigen::Index unknowns = fit.slopes.cols();
  const MatrixXd slopes = fit.slopes(rows, Eigen::all);
  const VectorXd residuals = fit.residuals(rows);
  const VectorXd weights =
      residuals.unaryExpr([&](double r) { return robust_weight(r, setup.scale); });
  MatrixXd matrix = fit.normal - slopes.transpose() * weights.asDiagonal() * slopes;
  // An unknown that only this job determines stays near its place: a change by 1 counts as much as
  // a residual of the size `scale`.
  matrix.diagonal().array() += std::max(squared(setup.prior), squared(setup.scale));
  const Eigen::LLT<MatrixXd> solver(matrix);
  const VectorXd step = solver.solve(slopes.transpose() * weights.cwiseProduct(residuals));
  const MatrixXd covariance =
      squared(setup.scale) * solver.solve(MatrixXd::Identity(unknowns, unknowns));
  LeftOutJob found;
  found.residuals = residuals + slopes * step.cwiseMax(-1).cwiseMin(1);
  found.variances = (slopes * covariance).cwiseProduct(slopes).rowwise().sum();
  return found;
}

FitSpread spread_between_jobs(const RobustFit& fit, const RobustSetup& setup,
                              const std::vector<std::vector<Eigen::Index>>& rows_of_job) {
  std::vector<Weighted> of_points;
  std::vector<Weighted> of_all;
  std::vector<double> variances;
  for (const std::vector<Eigen::Index>& rows : rows_of_job) {
    const LeftOutJob job = without_job(fit, setup, rows);
    const auto count = static_cast<double>(rows.size());
    const double middle = median({job.residuals.begin(), job.residuals.end()});
    for (Eigen::Index i = 0; i < job.residuals.size(); ++i) {
      of_all.push_back({std::fabs(job.residuals[i]), 1 / count});
      variances.push_back(job.variances[i]);
      if (rows.size() > 1) {
        of_points.push_back(
            {std::fabs(job.residuals[i] - middle) * std::sqrt(count / (count - 1)), 1 / count});
      }
    }
  }
  FitSpread spread;
  spread.jobs = rows_of_job.size();
  spread.point = central_spread(std::move(of_points));
  spread.job = std::sqrt(std::max(0.0, squared(central_spread(std::move(of_all))) -
                                           squared(spread.point) - median(std::move(variances))));
  return spread;
}

}  // namespace

FitSpread fit_spread(const RobustFit& fit, const RobustSetup& setup,
                     const std::vector<std::size_t>& job_of) {
  std::vector<std::vector<Eigen::Index>> rows_of_job;
  for (std::size_t i = 0; i < job_of.size(); ++i) {
    rows_of_job.resize(std::max(rows_of_job.size(), job_of[i] + 1));
    rows_of_job[job_of[i]].push_back(static_cast<Eigen::Index>(i));
  }
  if (rows_of_job.size() >= kFewestJobs) {
    return spread_between_jobs(fit, setup, rows_of_job);
  }
  constexpr double kMostLeverage = 0.9;
  MatrixXd matrix = fit.normal;
  matrix.diagonal().array() += squared(setup.prior);
  const MatrixXd solved = Eigen::LLT<MatrixXd>(matrix).solve(fit.slopes.transpose());
  std::vector<Weighted> of_points;
  for (Eigen::Index i = 0; i < fit.residuals.size(); ++i) {
    const double leverage =
        robust_weight(fit.residuals[i], setup.scale) * fit.slopes.row(i).dot(solved.col(i));
    of_points.push_back(
        {std::fabs(fit.residuals[i]) / std::sqrt(1 - std::min(leverage, kMostLeverage)), 1});
  }
  return {kDefaultJobSpread, central_spread(std::move(of_points)), 0};
}

}  // namespace tutti::inline experiments
