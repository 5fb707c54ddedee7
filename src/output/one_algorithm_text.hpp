// Prints the times of one algorithm in the style of MPI benchmarks: a table for each number of
// ranks, with a line for each size.
#pragma once

#include <iosfwd>

#include "src/experiments/comparison.hpp"
#include "src/output/numbered_notes.hpp"

namespace tutti::inline output {

// Prints times, bus bandwidths and the results of formulas, then the formulas themselves. The
// comparison must have a single contender. The notes that the tables refer to are added to `notes`.
void print_one_algorithm(const Comparison& comparison, NumberedNotes& notes, std::ostream& out);

}  // namespace tutti::inline output
