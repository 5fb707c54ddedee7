// Fits lines to measured times.
//
// Times span six orders of magnitude, so the fit minimises relative distances. Outliers have less
// weight (Huber's weights), so that a single disturbed point does not bend the line.
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

// Fits one line to all samples. The line is positive in the measured range. Its start-up or its
// slope may be negative, which means that a single line does not describe the samples. Throws
// InvariantError for fewer than two sizes.
[[nodiscard]] CostPiece fit_line(std::span<const Sample> samples);

// Fits a curve of as few pieces (lines) as possible. Each piece covers at least three samples
// (unless there are fewer samples in total), begins at its first sample, and has neither a negative
// start-up nor a negative slope. A piece is added only if this reduces the Bayesian information
// criterion, in which each piece costs two parameters. Distances below 1 % count as zero,
// so that no pieces are fitted to noise. Samples must be sorted by bytes. Throws InvariantError if
// there are no samples.
[[nodiscard]] CostCurve fit_curve(std::span<const Sample> samples);

// Returns the distances of the samples from `curve`. `working_set_bytes` has one value per sample.
[[nodiscard]] Residuals residuals(std::span<const Sample> samples,
                                  std::span<const double> working_set_bytes,
                                  const CostCurve& curve);

}  // namespace tutti::mpi
