// What a row of a table says of how far predictions are from a run, and why.
#pragma once

#include <string>

#include "src/output/numbered_notes.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti::inline output {

// How far a prediction is from the run: "equal", "-45.3 %".
[[nodiscard]] std::string signed_percent(double predicted, double happened);

// "[1][3]": notes on why the run, its longest path and what is published of it differ, where they
// do. `says_segments`: also how large segments were.
[[nodiscard]] std::string why_columns_differ(const RunResult& result, bool says_segments,
                                             NumberedNotes& notes);

// Why a case did not run, with its algorithm's name.
[[nodiscard]] Sentence why_not(const CaseRun& run);

}  // namespace tutti::inline output
