// The result of a run for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <vector>

#include "src/simulation/outcome.hpp"

namespace tutti::inline output {

// "startup_s" and the like, all of them.
[[nodiscard]] nlohmann::ordered_json spent_json(const Spent& spent);
// One object, schema tutti-result/1.
[[nodiscard]] nlohmann::ordered_json result_json(const RunResult& result);
void write_result_json(const RunResult& result, std::ostream& out);
// A line of names and a line of values, named as in the JSON.
void write_result_csv(const RunResult& result, std::ostream& out);
// Writes several: an array, in which a refusal has `refused` in place of figures; and a line
// for each, with a last column `refused`.
void write_results_json(const std::vector<CaseRun>& runs, std::ostream& out);
void write_results_csv(const std::vector<CaseRun>& runs, std::ostream& out);

}  // namespace tutti::inline output
