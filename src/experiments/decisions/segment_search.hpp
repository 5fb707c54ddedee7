// Time of an algorithm by the cost model, and the segment size that is best by this model.
#pragma once

#include <cstdint>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti::inline experiments {

// Returns seconds by the closed form, or by the longest path if there is no closed form or there
// are several ports.
[[nodiscard]] double predicted_s(const Algorithm& algorithm, const Problem& problem,
                                 const Prices& prices, const RunSetup& setup);
// Returns the best segment size by the model, or if `round` is set, the best of the round sizes
// next to it. The size of the whole vector means unsegmented.
[[nodiscard]] std::uint64_t find_segment(const Algorithm& algorithm, Problem problem,
                                         const Prices& prices, const RunSetup& setup, bool round);

}  // namespace tutti::inline experiments
