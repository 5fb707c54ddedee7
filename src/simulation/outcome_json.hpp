// JSON form (schema tutti-cell-answer/1) in which outcomes are sent between processes and results
// are stored in databases.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

#include "src/simulation/outcome.hpp"

namespace tutti::inline simulation {

// A string_view, because nlohmann allocates in a noexcept function when it compares JSON with a
// char pointer.
inline constexpr std::string_view kOutcomeSchema = "tutti-cell-answer/1";

// figures_json() returns the results, which are the same in every run. effort_json() returns the
// wall-clock times and the memory that the run took. Neither includes the operations of the
// critical chain.
[[nodiscard]] nlohmann::ordered_json figures_json(const RunResult& result);
[[nodiscard]] nlohmann::ordered_json effort_json(const RunResult& result);
// Restores the result of a case. Recomputes the values that follow from the problem and the prices.
// Throws UserError if `figures` or `effort` are invalid.
[[nodiscard]] RunResult result_of(const Case& what, const nlohmann::json& figures,
                                  const nlohmann::json& effort);

// Returns the outcome as one line of JSON. The case must have run.
[[nodiscard]] std::string outcome_line(const Outcome& outcome);
// Restores an outcome. Throws UserError if `json` is invalid.
[[nodiscard]] Outcome outcome_of(const Case& what, const nlohmann::json& json);
// Restores an outcome from a line that outcome_line() has written.
[[nodiscard]] Outcome outcome_of_line(const Case& what, const std::string& line);

}  // namespace tutti::inline simulation
