// JSON output of comparisons: src/formats/schemas/tutti-comparison-1.schema.json.
#pragma once

#include <iosfwd>

#include "src/experiments/cell_winners.hpp"

namespace tutti::inline output {

// Writes the row of each run, and the best algorithm for each number of ranks and size.
void write_comparison_json(const Comparison& comparison, const WinnerMap& winners,
                           std::ostream& out);

}  // namespace tutti::inline output
