// Uncertainty of the fitted parameters of any model.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace tutti { inline namespace simulation {

// `Parameter` describes a parameter of the model, and has a name.
template <typename Parameter>
struct FitUncertainty {
  std::vector<const Parameter*> parameters;
  // Covariance matrix of the natural logarithms of the parameters, row by row.
  std::vector<double> covariance;
  // Standard deviations of the natural logarithms of the factors that the model leaves out.
  double job_spread = 0;
  double point_spread = 0;
  // Number of jobs from whose times job_spread was estimated; 0 if it is kDefaultJobSpread.
  std::size_t jobs = 0;

  // Returns the standard deviation due to both factors.
  [[nodiscard]] double spread() const { return std::hypot(job_spread, point_spread); }

  friend bool operator==(const FitUncertainty&, const FitUncertainty&) = default;
};

// job_spread if the points of the fit do not have enough jobs. The source is in
// docs/explanation/uncertainty.md.
inline constexpr double kDefaultJobSpread = 0.2;

// Returns a lower triangular matrix L, row by row, with covariance = L L^T; empty if there is none,
// because the covariance is not a symmetric positive semidefinite matrix with `size` rows.
[[nodiscard]] std::vector<double> root_of(const std::vector<double>& covariance, std::size_t size);

}}  // namespace tutti::simulation
