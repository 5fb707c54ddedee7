// Computes the few prices that a calibration reports, and their uncertainty. Decides whether the
// whole fit is good.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/mpi/plan/machine_fit.hpp"

namespace tutti::mpi {

// A price, which comes from one line that is fitted to all sizes.
struct Figure {
  std::string name;  // "within_node.alpha_s"
  // Empty if the line is implausible, because its start-up is negative.
  std::optional<double> value;
  double low = 0;  // lower end of the 95 % confidence interval, if there is a value
  double high = 0;
  bool needed = true;  // true if the value must be positive for a good fit
};

struct Figures {
  std::vector<Figure> all;
  [[nodiscard]] const Figure& of(const std::string& name) const;
};

// Computes the figures. Each interval comes from a bootstrap: rounds and sizes are drawn at random
// many times, and a line is fitted to each draw. The fastest of the drawn rounds is never faster
// than the fastest of all rounds, so the draws underestimate the uncertainty on one side. The
// interval is therefore made symmetric: each side is as wide as the wider of the two. The draws are
// the same for the same input, and so are the figures.
[[nodiscard]] Figures figures_of(const std::vector<std::uint64_t>& sizes_bytes,
                                 const NearSeries& near, const MessageSeries* far,
                                 std::optional<std::uint64_t> eager_bytes);

// Counts the points of a calibration that were measured. There is one point for each combination of
// kind, size and number of repetitions.
struct Coverage {
  std::size_t times = 0;
  std::size_t missing = 0;  // never measured
  std::size_t few = 0;      // measured in fewer than kAlikeRounds rounds
  std::size_t settled = 0;
};
void cover(const RoundTimes& rounds, Coverage& coverage);

// Returns the reasons why the fit is not good, one sentence each; an empty list if it is good.
[[nodiscard]] std::vector<std::string> doubts(const MachineFit& fit, const Figures& figures,
                                              const Coverage& coverage);

}  // namespace tutti::mpi
