// JSON output of comparisons: src/formats/schemas/tutti-comparison-1.schema.json.
#pragma once

#include <iosfwd>
#include <optional>

#include "src/experiments/compare/cell_winners.hpp"
#include "src/experiments/compare/sure_cells.hpp"

namespace tutti { inline namespace output {

// Writes the row of each run, the best algorithm for each number of ranks and size, and which of
// these choices are sure, if requested.
void write_comparison_json(const Comparison& comparison, const WinnerMap& winners,
                           const std::optional<SureChoices>& sure, std::ostream& out);

}}  // namespace tutti::output
