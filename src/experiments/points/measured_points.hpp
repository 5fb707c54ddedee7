// Reads measured runs from results of tutti-mpi and from benchmark points, to compare simulations
// with each run.
#pragma once

#include <string>

#include "src/experiments/measured_run.hpp"

namespace tutti::inline experiments {

// Returns the runs in the files that `sources` lists; measured_sources() parses this list. `from`
// is the name of the option, for error messages. Each file contains either results of `tutti-mpi
// run --json` or points. A run from a point has no data type and no operator. Points that measure
// the library's own choice of algorithm are left out. Throws UserError, as parse_measured_runs()
// and parse_points() do, and also if a file has no usable run.
[[nodiscard]] MeasuredRuns measured_runs_of(std::string_view from, const std::string& sources);

}  // namespace tutti::inline experiments
