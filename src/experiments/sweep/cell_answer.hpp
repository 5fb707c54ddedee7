// What became of a cell, as a database keeps it and gives it back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/simulation/outcome.hpp"

namespace tutti::inline experiments {

enum class CellStatus : std::uint8_t { done, refused, failed };
[[nodiscard]] std::string_view name(CellStatus status);

struct CellAnswer {
  CellStatus status = CellStatus::failed;
  std::string message;  // where it is not done
  // Where it was refused: of which kind, and the message without its values.
  std::string refusal;
  std::string pattern;
  // Where it is done: JSON objects, what was found out, and what that took.
  std::string figures;
  std::string effort;
};

// There must be an outcome.
[[nodiscard]] CellAnswer answer_of(const Outcome& outcome);
// Throws UserError for figures that are none.
[[nodiscard]] Outcome outcome_of(const Case& cell, const CellAnswer& answer);

// What is wrong with the figures of an answer from a file, if it is done: no JSON, or none of
// schema tutti-cell-answer/1.
[[nodiscard]] std::optional<std::string> fault_in(const CellAnswer& answer);

// Reads a worker's line, which need not be of a process of ours. Throws UserError for what is no
// such line.
[[nodiscard]] Outcome outcome_of_answer_line(const Case& cell, const std::string& line);

}  // namespace tutti::inline experiments
