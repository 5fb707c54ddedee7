// Predicts the time of an algorithm with the cost model, and finds the segment size with the
// shortest predicted time.
#pragma once

#include <cstdint>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti::inline experiments {

// Returns the predicted time in seconds, from the closed form. If there is no closed form, or if
// ranks have several ports, uses the longest path through the schedule.
[[nodiscard]] double predicted_s(const Algorithm& algorithm, const Problem& problem,
                                 const Prices& prices, const RunSetup& setup);
// Returns the segment size, in bytes, that is the best according to the model. If `round` is true,
// returns the best of the neighbouring round sizes (2^k or 3 * 2^k bytes, for any whole number k)
// instead. A result equal to the size of the whole vector means unsegmented; 0 means that the
// vector is empty.
[[nodiscard]] std::uint64_t find_segment(const Algorithm& algorithm, Problem problem,
                                         const Prices& prices, const RunSetup& setup, bool round);

}  // namespace tutti::inline experiments
