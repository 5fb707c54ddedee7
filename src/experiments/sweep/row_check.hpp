// Checks that a row of a database is what tutti once wrote: its checksum, and the range of each
// value.
#pragma once

#include <optional>
#include <string>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti::inline experiments {

// Checksum over the whole row, including the time when it was recorded: 32 hexadecimal digits. It
// guards against faults of disks and memory, not against people, who can compute it too.
[[nodiscard]] std::string checksum_of(const CellRow& row);

// Returns a description of an invalid value in a row; empty if there is none. Invalid are text that
// is not UTF-8, numbers outside of their range (such as 0 ranks), and times below 0. Does not check
// the JSON of the figures; fault_in() of src/experiments/sweep/cell_answer.hpp does.
[[nodiscard]] std::optional<std::string> fault_in(const CellRow& row);

// Returns a name for the cell, for error messages: "allreduce/ring, p = 4, n = 64".
[[nodiscard]] std::string cell_name(const CellKey& key);

}  // namespace tutti::inline experiments
