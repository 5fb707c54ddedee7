// Times that somebody has measured, in place of simulated ones.
#pragma once

#include <string>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline experiments {

// Reads files, named as in measured_sources() (points/measured_source.hpp): "runs.json", or
// "ring=osu_ring.txt,rabenseifner@16=osu_rabenseifner.txt" where a benchmark's file does not say
// what ran; the ranks are those of the decision where it has one number of them. Each has
//  - one or more results of `tutti-mpi run --json` (an object, a list of them, or one on each
//  line);
//  - comma-separated values whose first line names at least ranks, bytes, algorithm and seconds (or
//    median_s), and perhaps collective, tree, skips and segment_bytes;
//  - or points, of benchmarks and of `tutti score` (points/benchmark_point.hpp).
// Of several times of one run the median is taken. Fills in the times of the decision's cells; runs
// that are not of its grid, or of none of its candidates, are left alone. Throws UserError that
// names the line of what is wrong, and where no run of this collective lies on the grid.
void fill_in_measured(const std::string& sources, Decision& decision);
// Takes one file's text; the name is for complaints.
void fill_in_measured_text(const std::string& text, const std::string& path, Decision& decision);

}  // namespace tutti::inline experiments
