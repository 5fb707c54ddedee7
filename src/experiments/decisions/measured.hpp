// Fills in a decision with times that were measured instead of simulated.
#pragma once

#include <string>

#include "src/experiments/decisions/decision.hpp"

namespace tutti { inline namespace experiments {

// Reads the files that `sources` names, in the notation of measured_sources()
// (points/measured_source.hpp): "runs.json", or
// "ring=osu_ring.txt,rabenseifner@16=osu_rabenseifner.txt" for files of benchmarks that do not say
// which algorithm ran. Without @16, the number of ranks is that of the decision, if the decision
// has only one number of ranks. Each file has one of these contents:
// - one or more results of `tutti-mpi run --json` (an object, a list of objects, or one per line);
// - comma-separated values, whose first line names at least ranks, bytes, algorithm and seconds (or
//   median_s), and perhaps collective, tree, skips and segment_bytes;
// - the output of a benchmark, or a table of points as for `tutti score`
//   (points/benchmark_point.hpp).
//
// Fills in the times of the decision's cells; if the files have several times of one run, uses
// their median. Ignores runs that are not on the grid or belong to no candidate. Throws UserError,
// which names the faulty line. Also throws if no run of the decision's collective is on the grid.
void fill_in_measured(const std::string& sources, Decision& decision);
// As fill_in_measured(), for the text of one file. `path` is used in error messages.
void fill_in_measured_text(const std::string& text, const std::string& path, Decision& decision);

}}  // namespace tutti::experiments
