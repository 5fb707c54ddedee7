// One algorithm over sizes, a table for each number of ranks, as benchmarks of MPI print it.
#pragma once

#include <iosfwd>

#include "src/experiments/comparison.hpp"
#include "src/output/numbered_notes.hpp"

namespace tutti::inline output {

// Time, bus bandwidth and what formulas say; then the formulas. Of the comparison's only contender.
void print_one_algorithm(const Comparison& comparison, NumberedNotes& notes, std::ostream& out);

}  // namespace tutti::inline output
