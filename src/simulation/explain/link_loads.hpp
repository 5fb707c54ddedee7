// Computes the utilization, over time, of the links that cost the run the most time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline simulation {

struct LoadCurve {
  std::size_t link = 0;  // index in Explanation::links
  // Pairs of a time, in seconds and ascending, and the utilization from then on, as a share of the
  // link's capacity. The utilization is 1 while the link holds messages back, and 0 before the
  // first pair and after the last.
  std::vector<std::pair<double, double>> values;
};

inline constexpr std::size_t kMostLoadCurves = 8;

// Returns the curves of the first kMostLoadCurves links. Simulates the run once more, to record the
// rates of messages. Returns none for an engine without a network.
[[nodiscard]] std::vector<LoadCurve> load_curves(const Explanation& explanation);

}  // namespace tutti::inline simulation
