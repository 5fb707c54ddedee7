// JSON and CSV output of results.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <vector>

#include "src/simulation/outcome.hpp"

namespace tutti::inline output {

// Returns an object with the time of each kind of spending: "startup_s" and so on.
[[nodiscard]] nlohmann::ordered_json spent_json(const Spent& spent);
// Returns an object of schema tutti-result/1.
[[nodiscard]] nlohmann::ordered_json result_json(const RunResult& result);
void write_result_json(const RunResult& result, std::ostream& out);
// Writes a line with the column names and a line with the values.
void write_result_csv(const RunResult& result, std::ostream& out);
// Write several results. In the JSON array, the object of a run that was refused or failed contains
// the reason (`refused`) instead of results. The CSV has a line for each run, and also a column
// `refused`.
void write_results_json(const std::vector<CaseRun>& runs, std::ostream& out);
void write_results_csv(const std::vector<CaseRun>& runs, std::ostream& out);

}  // namespace tutti::inline output
