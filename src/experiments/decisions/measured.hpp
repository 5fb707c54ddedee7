// Times that somebody has measured, in place of simulated ones.
#pragma once

#include <string>

#include "src/experiments/decisions/decision.hpp"

namespace tutti {

// Reads one or more results of `tutti-mpi run --json` (an object, a list of them, or one on each
// line), or comma-separated values whose first line names at least ranks, bytes, algorithm and
// seconds (or median_s), and perhaps collective, tree, skips and segment_bytes. Of several times of
// one run the median is taken. Fills in the times of the decision's cells; runs that are not of its
// grid, or of none of its candidates, are left alone. Throws UserError that names the line of what
// is wrong, and where no run of this collective lies on the grid.
void fill_in_measured(const std::string& path, Decision& decision);
// Takes the file's text; the name is for complaints.
void fill_in_measured_text(const std::string& text, const std::string& path, Decision& decision);

}  // namespace tutti
