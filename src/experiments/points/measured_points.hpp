// Points of benchmarks as runs, for the comparison of simulations with single runs.
#pragma once

#include <string>

#include "src/experiments/measured_run.hpp"

namespace tutti::inline experiments {

// Returns the runs of files, which are named as in measured_sources(). A file has results of
// `tutti-mpi run --json`, or points. A point has a median, and perhaps the time of the fastest
// repetition, but no data type and no operator. Leaves out the library's own choices. Throws
// UserError, as parse_measured_runs() and read_points() do. Also throws if no run is left.
[[nodiscard]] MeasuredRuns measured_runs_of(std::string_view from, const std::string& sources);

}  // namespace tutti::inline experiments
