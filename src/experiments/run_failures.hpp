// Runs of many that were lost.
#pragma once

#include <iosfwd>
#include <span>

#include "simulation/run_result.hpp"

namespace tutti {

// A line about those that failed, unless there are none: how many, and what became of the first.
void report_failures(std::span<const RunOutcome* const> failed, std::ostream& err);

}  // namespace tutti
