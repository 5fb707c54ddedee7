// The outcome of a cell, in the form that a database stores.
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
  std::string message;  // empty if the cell is done
  // If the cell was refused: the kind of refusal, and the message without its values.
  std::string refusal;
  std::string pattern;
  // If the cell is done: JSON objects with the results and with the effort.
  std::string figures;
  std::string effort;
};

// Converts an outcome, which must not be open, to an answer.
[[nodiscard]] CellAnswer answer_of(const Outcome& outcome);
// Converts an answer to an outcome. Throws UserError for invalid figures.
[[nodiscard]] Outcome outcome_of(const Case& cell, const CellAnswer& answer);

// Returns what is wrong with the figures of an answer from a file: figures of a cell that is not
// done, invalid JSON, or JSON that is not of schema tutti-cell-answer/1.
[[nodiscard]] std::optional<std::string> fault_in(const CellAnswer& answer);

// Reads the line of a worker, and checks it, because it may come from a foreign process. Throws
// UserError for an invalid line.
[[nodiscard]] Outcome outcome_of_answer_line(const Case& cell, const std::string& line);

}  // namespace tutti::inline experiments
