// Reads measured runs from results of tutti-mpi and from benchmark points, to compare simulations
// with each run.
#pragma once

#include <string>

#include "src/experiments/measured_run.hpp"

namespace tutti::inline experiments {

// Returns the runs in the files `sources`, a list as in measured_sources(). `from` is the name of
// the option, for error messages. A file has results of `tutti-mpi run --json`, or points. A point
// has a median, and perhaps the time of the fastest repetition, but no data type and no operator.
// Leaves out the library's own choices. Throws UserError, as parse_measured_runs() and
// read_points() do. Also throws if no run is left.
[[nodiscard]] MeasuredRuns measured_runs_of(std::string_view from, const std::string& sources);

}  // namespace tutti::inline experiments
