// Lines through measured times.
//
// Times span six orders of magnitude, so what is made small is the relative distance, and what lies
// far off counts less (Huber's weights): one disturbed point does not bend the line.
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

// Relative distances of the samples from what was fitted.
struct Residuals {
  double median = 0;
  double worst = 0;
};

// One line through all samples. Not negative anywhere that it was measured, but either part of it
// may be: then one line makes no sense of them. Throws InvariantError for fewer than two sizes.
[[nodiscard]] CostPiece fit_line(std::span<const Sample> samples);

// As few pieces as fit, each of three samples or more (where there are as many), none with a
// negative part. One more is taken only if it explains more than its two numbers cost by the
// Bayesian information criterion, distances below `tolerance` being as good as none: noise gets no
// pieces. Samples ascend in bytes. A piece begins at its first sample. Throws InvariantError for
// none.
[[nodiscard]] CostCurve fit_curve(std::span<const Sample> samples, double tolerance = 0.01);

// `working_set_bytes`: by sample.
[[nodiscard]] Residuals residuals(std::span<const Sample> samples,
                                  std::span<const double> working_set_bytes,
                                  const CostCurve& curve);

}  // namespace tutti::mpi
