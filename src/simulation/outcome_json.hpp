// The one form in which an outcome goes from process to process, and a result into databases:
// JSON, schema tutti-cell-answer/1.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

#include "src/simulation/outcome.hpp"

namespace tutti::inline simulation {

// No pointer: to compare JSON with one, nlohmann takes memory in a function that is noexcept.
inline constexpr std::string_view kOutcomeSchema = "tutti-cell-answer/1";

// What was found out, the same each time; and what that took in time and memory. The operations of
// the chain are left behind.
[[nodiscard]] nlohmann::ordered_json figures_json(const RunResult& result);
[[nodiscard]] nlohmann::ordered_json effort_json(const RunResult& result);
// The result of a case again. What follows from problem and prices is computed anew. Throws
// UserError for figures that are none.
[[nodiscard]] RunResult result_of(const Case& what, const nlohmann::json& figures,
                                  const nlohmann::json& effort);

// One line. There must be an outcome.
[[nodiscard]] std::string outcome_line(const Outcome& outcome);
// Throws UserError for what does not fit.
[[nodiscard]] Outcome outcome_of(const Case& what, const nlohmann::json& json);
// Reads a line by a process of ours.
[[nodiscard]] Outcome outcome_of_line(const Case& what, const std::string& line);

}  // namespace tutti::inline simulation
