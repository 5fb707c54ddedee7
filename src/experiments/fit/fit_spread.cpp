#include "src/experiments/fit/fit_spread.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/median.hpp"
#include "src/experiments/fit/robust_fit.hpp"
#include "src/simulation/model_uncertainty.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kCentral = 0.8;            // share of the residuals that the spread describes
constexpr double kCentralWidth = 1.281552;  // standard normal distribution: P(|z| < this) = 0.8

// Number of points with another one in their cell, below which differences within cells say too
// little.
constexpr std::size_t kFewestInCells = 10;

double squared(double x) { return x * x; }

struct WeightedSize {
  double size = 0;
  double weight = 0;
};

// Returns the standard deviation of the normal distribution whose central share kCentral ends at
// the value below which lies the weighted `share` of the values, or at the largest one; 0 if there
// are none.
double central_spread(std::vector<WeightedSize> values, double share) {
  std::ranges::sort(values, {}, &WeightedSize::size);
  double total = 0;
  for (const WeightedSize& each : values) {
    total += each.weight;
  }
  double sum = 0;
  std::size_t last = 0;
  for (; last + 1 < values.size(); ++last) {
    sum += values[last].weight;
    if (sum >= share * total) {
      break;
    }
  }
  return values.empty() ? 0 : values[last].size / kCentralWidth;
}

// Returns the weight of a residual in the fit.
double weight_of(const RobustFit& fit, std::size_t fitted, const RobustSetup& setup,
                 Eigen::Index row) {
  return row < static_cast<Eigen::Index>(fitted) ? robust_weight(fit.residuals[row], setup.scale)
                                                 : 0;
}

struct LeftOutJob {
  VectorXd residuals;  // of the job, predicted by the fit without it
  VectorXd variances;  // of these predictions, due to the parameters
};

// Predicts a job by the fit without it: one Gauss-Newton step from the fit with it.
LeftOutJob without_job(const RobustFit& fit, std::size_t fitted, const RobustSetup& setup,
                       const std::vector<Eigen::Index>& rows) {
  const Eigen::Index unknowns = fit.slopes.cols();
  const MatrixXd slopes = fit.slopes(rows, Eigen::all);
  const VectorXd residuals = fit.residuals(rows);
  VectorXd weights(residuals.size());
  std::ranges::transform(rows, weights.begin(),
                         [&](Eigen::Index row) { return weight_of(fit, fitted, setup, row); });
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

// Returns the differences of the residuals from the median of their cell, for the cells with at
// least two points. Each job has the same weight.
std::vector<WeightedSize> differences_in_cells(
    const VectorXd& residuals, const std::vector<std::vector<Eigen::Index>>& rows_of_job,
    const std::vector<std::size_t>& cell_of) {
  std::vector<WeightedSize> found;
  for (const std::vector<Eigen::Index>& rows : rows_of_job) {
    std::map<std::size_t, std::vector<double>> cells;
    for (const Eigen::Index row : rows) {
      cells[cell_of[static_cast<std::size_t>(row)]].push_back(residuals[row]);
    }
    for (const auto& [cell, values] : cells) {
      const auto count = static_cast<double>(values.size());
      const double middle = median(values);
      for (const double value : values) {
        if (count > 1) {
          found.push_back({std::fabs(value - middle) * std::sqrt(count / (count - 1)),
                           1 / static_cast<double>(rows.size())});
        }
      }
    }
  }
  return found;
}

FitSpread spread_between_jobs(const RobustFit& fit, std::size_t fitted, const RobustSetup& setup,
                              const std::vector<std::vector<Eigen::Index>>& rows_of_job,
                              const std::vector<std::size_t>& job_of,
                              const std::vector<std::size_t>& cell_of) {
  VectorXd left_out(fit.residuals.size());
  std::vector<WeightedSize> of_all;
  std::vector<double> variances;
  for (const std::vector<Eigen::Index>& rows : rows_of_job) {
    const LeftOutJob job = without_job(fit, fitted, setup, rows);
    left_out(rows) = job.residuals;
    for (Eigen::Index i = 0; i < job.residuals.size(); ++i) {
      of_all.push_back({std::fabs(job.residuals[i]), 1 / static_cast<double>(rows.size())});
      variances.push_back(job.variances[i]);
    }
  }
  std::vector<WeightedSize> of_points = differences_in_cells(left_out, rows_of_job, cell_of);
  if (of_points.size() < kFewestInCells) {
    of_points = differences_in_cells(left_out, rows_of_job, job_of);
  }
  // A new job is as likely as each of these to be the one with the largest residuals. If its own
  // are beyond all others, the share kCentral of all jobs, the new one included, is the share
  // kCentral * (1 + 1 / jobs) of these jobs; if they are like the others, it is kCentral. A share
  // halfway between the two is a compromise.
  const double share = kCentral * (1 + 0.5 / static_cast<double>(rows_of_job.size()));
  FitSpread spread;
  spread.jobs = rows_of_job.size();
  spread.point = central_spread(std::move(of_points), kCentral);
  spread.job = std::sqrt(std::max(0.0, squared(central_spread(std::move(of_all), share)) -
                                           squared(spread.point) - median(std::move(variances))));
  return spread;
}

}  // namespace

FitSpread fit_spread(const RobustFit& fit, std::size_t fitted, const RobustSetup& setup,
                     const std::vector<std::size_t>& job_of,
                     const std::vector<std::size_t>& cell_of) {
  std::vector<std::vector<Eigen::Index>> rows_of_job;
  for (std::size_t i = 0; i < job_of.size(); ++i) {
    rows_of_job.resize(std::max(rows_of_job.size(), job_of[i] + 1));
    rows_of_job[job_of[i]].push_back(static_cast<Eigen::Index>(i));
  }
  if (rows_of_job.size() >= kFewestJobs) {
    return spread_between_jobs(fit, fitted, setup, rows_of_job, job_of, cell_of);
  }
  constexpr double kMostLeverage = 0.9;
  MatrixXd matrix = fit.normal;
  matrix.diagonal().array() += squared(setup.prior);
  const MatrixXd solved = Eigen::LLT<MatrixXd>(matrix).solve(fit.slopes.transpose());
  VectorXd studentized = fit.residuals;
  for (Eigen::Index i = 0; i < studentized.size(); ++i) {
    const double leverage = weight_of(fit, fitted, setup, i) * fit.slopes.row(i).dot(solved.col(i));
    studentized[i] /= std::sqrt(1 - std::min(leverage, kMostLeverage));
  }
  std::vector<WeightedSize> of_points = differences_in_cells(studentized, rows_of_job, cell_of);
  if (of_points.size() < kFewestInCells) {
    of_points.clear();
    for (const double residual : studentized) {
      of_points.push_back({std::fabs(residual), 1});
    }
  }
  return {kDefaultJobSpread, central_spread(std::move(of_points), kCentral), 0};
}

}}  // namespace tutti::experiments
