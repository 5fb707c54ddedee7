// How much of the links that cost most was in use, and when.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline simulation {

struct LoadCurve {
  std::size_t link = 0;  // of Explanation::links
  // From when on, in seconds, ascending, and the share of its capacity: 1 while it holds messages
  // back. Nothing is in use before the first, nor after the last.
  std::vector<std::pair<double, double>> values;
};

inline constexpr std::size_t kMostLoadCurves = 8;

// Of the first kMostLoadCurves links, by the rates that messages really had: runs once more. None
// without a network.
[[nodiscard]] std::vector<LoadCurve> load_curves(const Explanation& explanation);

}  // namespace tutti::inline simulation
