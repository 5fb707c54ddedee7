// Points of benchmarks as runs, for what holds simulations against single runs.
#pragma once

#include <string>

#include "src/experiments/measured_run.hpp"

namespace tutti::inline experiments {

// Runs of files, named as in measured_sources(): what `tutti-mpi run --json` wrote, or points; of
// these the median alone is known, perhaps with the fastest repetition, and neither the type nor
// the operator. What the library chose by itself is left out. Throws UserError, as
// parse_measured_runs() and read_points() do, and where no run is left.
[[nodiscard]] MeasuredRuns measured_runs_of(std::string_view from, const std::string& sources);

}  // namespace tutti::inline experiments
