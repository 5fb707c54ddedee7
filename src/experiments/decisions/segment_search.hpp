// Time of an algorithm by the cost model, and the segment size that is best by this model.
#pragma once

#include <cstdint>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti::inline experiments {

// Returns the predicted time in seconds, from the closed form. If there is no closed form, or if
// there are several ports, uses the longest path.
[[nodiscard]] double predicted_s(const Algorithm& algorithm, const Problem& problem,
                                 const Prices& prices, const RunSetup& setup);
// Returns the segment size in bytes that is the best by the model, or if `round` is set, the best
// of the round sizes next to it (2^k or 3 * 2^k bytes). A result equal to the size of the whole
// vector means unsegmented.
[[nodiscard]] std::uint64_t find_segment(const Algorithm& algorithm, Problem problem,
                                         const Prices& prices, const RunSetup& setup, bool round);

}  // namespace tutti::inline experiments
