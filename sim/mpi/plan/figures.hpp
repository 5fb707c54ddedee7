// The few prices that a calibration reports, their uncertainty, and whether the whole fit is good.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/mpi/plan/machine_fit.hpp"

namespace tutti::mpi {

// A price, from one line for all sizes.
struct Figure {
  std::string name;             // "within_node.alpha_s"
  std::optional<double> value;  // nothing if the line is implausible: a negative start-up
  double low = 0;               // 95 % confidence interval, if there is a value
  double high = 0;
  bool needed = true;  // must be positive
};

struct Figures {
  std::vector<Figure> all;
  [[nodiscard]] const Figure& of(const std::string& name) const;
};

// Computes the figures. Each interval comes from a bootstrap: rounds and sizes are drawn anew many
// times, and fitted each time. The fastest of the drawn rounds is never faster than the fastest of
// all, so the part of the interval above the figure is mirrored below it. The same runs give the
// same figures.
[[nodiscard]] Figures figures_of(const std::vector<std::uint64_t>& sizes_bytes,
                                 const NearSeries& near, const MessageSeries* far,
                                 std::optional<std::uint64_t> eager_bytes);

// Counts the times that were measured. There is one time for each kind, size and number of
// repetitions.
struct Coverage {
  std::size_t times = 0;
  std::size_t missing = 0;  // never measured
  std::size_t few = 0;      // measured in fewer rounds than must agree
  std::size_t settled = 0;
};
void cover(const RoundTimes& rounds, Coverage& coverage);

// Returns the reasons why the fit is not good, one sentence each; none if it is good.
[[nodiscard]] std::vector<std::string> doubts(const MachineFit& fit, const Figures& figures,
                                              const Coverage& coverage);

}  // namespace tutti::mpi
