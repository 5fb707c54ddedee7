// How long the model says that an algorithm takes, and which size of segments is the best by it.
#pragma once

#include <cstdint>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti::inline experiments {

// Seconds: by the closed form, or where there is none, or several ports, by the longest path.
[[nodiscard]] double predicted_s(const Algorithm& algorithm, const Problem& problem,
                                 const Prices& prices, const RunSetup& setup);
// The best size by the model; if `round`, the best of the round ones around it. As long as the
// vector: uncut.
[[nodiscard]] std::uint64_t find_segment(const Algorithm& algorithm, Problem problem,
                                         const Prices& prices, const RunSetup& setup, bool round);

}  // namespace tutti::inline experiments
