// Notes in the rows of a table: how far predictions are from a run, and why.
#pragma once

#include <string>

#include "src/output/numbered_notes.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti::inline output {

// Formats the difference between a predicted time and `happened`, the time of the run, as a share
// of `happened`: "equal", "-45.3 %".
[[nodiscard]] std::string signed_percent(double predicted, double happened);

// Adds notes on why the run, its longest path and its published costs differ. Returns the numbers
// of these notes, such as "[1][3]"; "" if there is no difference. `says_segments`: the returned
// text also contains the segment size.
[[nodiscard]] std::string why_columns_differ(const RunResult& result, bool says_segments,
                                             NumberedNotes& notes);

// Returns the reason why a case did not run, with the algorithm's name.
[[nodiscard]] Sentence why_not(const CaseRun& run);

}  // namespace tutti::inline output
