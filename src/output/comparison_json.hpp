// JSON output of comparisons.
#pragma once

#include <optional>

#include "src/experiments/compare/cell_winners.hpp"
#include "src/experiments/compare/sure_cells.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

struct ComparisonAnswer {
  const Comparison& comparison;
  const WinnerMap& winners;
  const std::optional<SureChoices>& sure;  // if requested
};
extern const DocumentOf<ComparisonAnswer> kComparisonDocument;

}}  // namespace tutti::output
