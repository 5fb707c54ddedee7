// What became of a cell, as a line of JSON from the process that ran it, and as the database keeps
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulation/run_result.hpp"
#include "src/experiments/sweep/cell.hpp"

namespace tutti {

enum class CellStatus : std::uint8_t {
  done,
  refused,  // bad input, which no second try makes good
  failed,   // the run was lost: its process died, or an invariant broke
};
[[nodiscard]] std::string_view name(CellStatus status);

struct CellAnswer {
  CellStatus status = CellStatus::failed;
  std::string message;  // where it is not done
  // Both are JSON objects, "" where it is not done: what was found out, the same each time; and
  // what that took in time and memory.
  std::string figures;
  std::string effort;
};

[[nodiscard]] CellAnswer answer_of(const RunResult& result);
// Of a cell that is done. What follows from problem and prices is computed again; the operations of
// the chain are left behind. Throws UserError for figures that are none.
[[nodiscard]] RunResult result_of(const CellAnswer& answer, const Cell& cell);

// What is wrong with the figures of an answer from a file, if it is done: no JSON, or none of
// schema tutti-cell-answer/1.
[[nodiscard]] std::optional<std::string> fault_in(const CellAnswer& answer);

// One line, schema tutti-cell-answer/1. Throws UserError for what is no such line.
[[nodiscard]] std::string to_line(const CellAnswer& answer);
[[nodiscard]] CellAnswer answer_of_line(const std::string& line);

}  // namespace tutti
