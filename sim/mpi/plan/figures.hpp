// The few figures that a calibration is asked for, how sure each of them is, and whether the whole
// of it is good.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/mpi/plan/machine_fit.hpp"

namespace tutti::mpi {

// A price, with one line for all sizes.
struct Figure {
  std::string name;             // "within_node.alpha_s"
  std::optional<double> value;  // nothing where the line makes no sense: a negative start-up
  double low = 0;               // where there is a value: 95 % sure to be between these
  double high = 0;
  bool needed = true;  // must be more than 0
};

struct Figures {
  std::vector<Figure> all;
  [[nodiscard]] const Figure& of(const std::string& name) const;
};

// Each interval is made by drawing rounds and sizes anew, again and again (a bootstrap), and
// fitting each time. The fastest of the rounds drawn is never faster than the fastest of all, so
// what is above the figure is reflected below it. The same runs give the same figures.
[[nodiscard]] Figures figures_of(const std::vector<std::uint64_t>& sizes_bytes,
                                 const NearSeries& near, const MessageSeries* far,
                                 std::optional<std::uint64_t> eager_bytes);

// How much of what is to be measured was: the time of each kind, size and number of repetitions.
struct Coverage {
  std::size_t times = 0;
  std::size_t missing = 0;  // not measured once
  std::size_t few = 0;      // measured, in fewer rounds than have to be alike
  std::size_t settled = 0;
};
void cover(const RoundTimes& rounds, Coverage& coverage);

// Why the fit is not good, each a sentence; none where it is.
[[nodiscard]] std::vector<std::string> doubts(const MachineFit& fit, const Figures& figures,
                                              const Coverage& coverage);

}  // namespace tutti::mpi
