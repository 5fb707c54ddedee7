// --segment auto, of one run.
#pragma once

#include <optional>

#include "src/requests/problem_options.hpp"
#include "src/simulation/best_segment.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline requests {

// Into problem.segment_bytes, if `given` says --segment auto.
std::optional<BestSegment> take_best_segment(const ProblemOptions& given,
                                             const Algorithm& algorithm, const Machine& machine,
                                             Problem& problem);

}  // namespace tutti::inline requests
