// JSON and CSV output of results.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <vector>

#include "src/formats/document.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace output {

extern const DocumentOf<RunResult> kResultDocument;

// Returns an object of schema tutti-result/1.
[[nodiscard]] nlohmann::ordered_json result_json(const RunResult& result);
void write_result_json(const RunResult& result, std::ostream& out);
// Writes a line with the column names and a line with the values.
void write_result_csv(const RunResult& result, std::ostream& out);
// Returns a row of a table of results: the object of the result, with the fields `refused` and
// `failed`. A run without a result has the same fields, which are null except for those of the
// problem.
[[nodiscard]] nlohmann::ordered_json result_row_json(const CaseRun& run);
// Writes the column names, and a line for each run, also for one without a result.
void write_results_csv(const std::vector<CaseRun>& runs, std::ostream& out);

}}  // namespace tutti::output
