// Chooses the segment size of a single run with --segment auto.
#pragma once

#include <optional>

#include "src/requests/problem_options.hpp"
#include "src/simulation/best_segment.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline requests {

// If the user gave --segment auto, stores the best segment size in problem.segment_bytes and
// returns it.
std::optional<BestSegment> take_best_segment(const ProblemOptions& given,
                                             const Algorithm& algorithm, const Machine& machine,
                                             Problem& problem);

}  // namespace tutti::inline requests
