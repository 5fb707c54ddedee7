// Prints the times of one algorithm by size, with a table for each number of ranks, like MPI
// benchmarks.
#pragma once

#include <iosfwd>

#include "src/experiments/comparison.hpp"
#include "src/output/numbered_notes.hpp"

namespace tutti::inline output {

// Prints the time, the bus bandwidth and the formulas' results, then the formulas. The comparison
// must have a single contender.
void print_one_algorithm(const Comparison& comparison, NumberedNotes& notes, std::ostream& out);

}  // namespace tutti::inline output
