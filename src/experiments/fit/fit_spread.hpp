// Estimates how far measured times lie from predicted ones, beyond the uncertainty of the fitted
// parameters.
#pragma once

#include <cstddef>
#include <vector>

namespace tutti { inline namespace experiments {

// Defined in src/experiments/fit/robust_fit.hpp, which includes Eigen.
struct RobustFit;
struct RobustSetup;

// Standard deviations of natural logarithms of times.
struct FitSpread {
  double job = 0;        // common to all times of a cell
  double point = 0;      // independent for each time
  std::size_t jobs = 0;  // number of jobs from which `job` was estimated; 0: it is the default
};

inline constexpr std::size_t kFewestJobs = 3;

// `fit`, which must have a covariance, is the fit to the first `fitted` residuals. Its residuals
// and slopes may continue with those of other points, which count only for the spread. `job_of` has
// the number of the job of each residual, counted from 0; `cell_of` that of its cell. `setup` is
// that of the fit.
//
// The estimates are those of normal distributions whose central 80 % hold a certain share of the
// residuals, so that ranges of about 80 % are right even if a few residuals are very large. For the
// spread of points, these are the differences from the median of their cell, if enough cells have
// several points, and the share is 80 %.
//
// With at least kFewestJobs jobs, the residuals of each job are those of a fit without this job,
// which one step from the whole fit approximates; each job has the same weight. Without cells of
// several points, the spread of points is that around the median of their job. For the whole
// spread, the share is 80 % with many jobs and larger with few (93 % with three), so that ranges
// hold about 80 % of the times of a further job.
//
// With fewer jobs, the spread of jobs is kDefaultJobSpread, and the residuals are those of the fit,
// divided by sqrt(1 - leverage) (studentized residuals).
[[nodiscard]] FitSpread fit_spread(const RobustFit& fit, std::size_t fitted,
                                   const RobustSetup& setup, const std::vector<std::size_t>& job_of,
                                   const std::vector<std::size_t>& cell_of);

}}  // namespace tutti::experiments
