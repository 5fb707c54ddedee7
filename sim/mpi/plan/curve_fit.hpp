// Fits lines to measured times.
//
// Times span six orders of magnitude, so the fit minimises relative distances. Outliers count less
// (Huber's weights), so that one disturbed point does not bend the line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/cost_curves.hpp"

namespace tutti::mpi {

struct Sample {
  std::uint64_t bytes = 0;
  double seconds = 0;
};

// Relative distances of the samples from the fit.
struct Residuals {
  double median = 0;
  double worst = 0;
};

// Fits one line to all samples. The line is positive in the measured range. One of its two parts
// may be negative, which means that a single line does not describe the samples. Throws
// InvariantError for fewer than two sizes.
[[nodiscard]] CostPiece fit_line(std::span<const Sample> samples);

// Fits as few pieces as possible. Each piece has at least three samples (unless there are fewer in
// all), begins at its first sample, and has no negative part. Another piece is added only if it
// explains more than its two parameters cost by the Bayesian information criterion. Distances below
// `tolerance` count as zero, so that no pieces are fitted to noise. Samples must ascend in bytes.
// Throws InvariantError for no samples.
[[nodiscard]] CostCurve fit_curve(std::span<const Sample> samples, double tolerance = 0.01);

// `working_set_bytes` is given for each sample.
[[nodiscard]] Residuals residuals(std::span<const Sample> samples,
                                  std::span<const double> working_set_bytes,
                                  const CostCurve& curve);

}  // namespace tutti::mpi
