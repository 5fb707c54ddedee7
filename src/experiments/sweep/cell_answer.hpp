// The outcome of a cell, in the form in which a database stores it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace formats {
struct DocumentType;
}}  // namespace tutti::formats

namespace tutti { inline namespace experiments {

// The document tutti-cell-answer/1.
[[nodiscard]] const DocumentType& cell_answer_document();

enum class CellStatus : std::uint8_t { done, refused, failed };
[[nodiscard]] std::string_view name(CellStatus status);

struct CellAnswer {
  CellStatus status = CellStatus::failed;
  std::string message;  // empty if the cell is done
  // If the cell was refused: the kind of refusal, and the message without its values.
  std::string refusal;
  std::string pattern;
  // If the cell is done: a JSON object with the results, and one with the effort of computing them.
  std::string figures;
  std::string effort;
};

// Key that the JSON object CellAnswer::effort has if the user did not ask for the size of the cell:
// see CaseRun::between.
inline constexpr const char* kBetween = "between";

// Converts an outcome, which must not be open, to an answer. If `between`, `effort` has the key
// kBetween.
[[nodiscard]] CellAnswer answer_of(const Outcome& outcome, bool between);
// Returns the lower limit of the time in the figures of an answer.
[[nodiscard]] std::optional<double> bound_of(const CellAnswer& answer);
// Converts an answer to an outcome. Throws UserError for invalid figures.
[[nodiscard]] Outcome outcome_of(const Case& cell, const CellAnswer& answer);

// Returns what is wrong with the figures of an answer from a file: the cell has figures although it
// is not done, or they are not valid JSON of schema tutti-cell-answer/1. Empty if nothing is wrong.
[[nodiscard]] std::optional<std::string> fault_in(const CellAnswer& answer);

// Converts the line that a worker sent about `cell` to an outcome. Checks the line, because it may
// come from another program. Throws UserError for an invalid line.
[[nodiscard]] Outcome outcome_of_answer_line(const Case& cell, const std::string& line);

}}  // namespace tutti::experiments
