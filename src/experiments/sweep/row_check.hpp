// Checks the checksum of a database row, and the range of each of its values, to detect damaged
// rows.
#pragma once

#include <optional>
#include <string>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti::inline experiments {

// Returns the checksum of the whole row, including the time when the row was recorded: 32
// hexadecimal digits. It guards against faults of disks and memory, not against attackers, who can
// compute it too.
[[nodiscard]] std::string checksum_of(const CellRow& row);

// Returns a description of an invalid value in a row; empty if there is none. Text must be UTF-8,
// numbers must be in their ranges (at least 1 rank, for example), and times must be 0 or more. Does
// not check the JSON of the figures; fault_in() in src/experiments/sweep/cell_answer.hpp does.
[[nodiscard]] std::optional<std::string> fault_in(const CellRow& row);

// Returns a name for the cell, for error messages: "allreduce/ring, p = 4, n = 64".
[[nodiscard]] std::string cell_name(const CellKey& key);

}  // namespace tutti::inline experiments
