// Divides the time of a trace, as account.hpp does for a step.
//
// A rank waits whenever nothing of it computes, until it computes again, or until its last node
// ends. This time belongs to the collectives and messages on the chain of dependencies that ends
// last.
#pragma once

#include <vector>

#include "src/steps/account.hpp"
#include "src/steps/trace/trace_schedule.hpp"

namespace tutti { inline namespace steps {

// `row_of` has the row of each match, and `computing` is that of computing. `rows` are the rows,
// without times.
[[nodiscard]] StepAccount account_of(const ChakraTrace& trace, const TraceMatches& matches,
                                     const std::vector<std::uint32_t>& row_of,
                                     std::uint32_t computing, std::vector<StepRow> rows,
                                     const TraceSchedule& schedule, const Timeline& timeline);

}}  // namespace tutti::steps
