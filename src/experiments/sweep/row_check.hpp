// Whether a row of a database is what tutti once put there: its checksum, and that each value is
// one that can be.
#pragma once

#include <optional>
#include <string>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti::inline experiments {

// Over all that a row holds, when it was recorded among it: 32 hexadecimal digits. It guards
// against disks and memory, not against people, who can compute it as well.
[[nodiscard]] std::string checksum_of(const CellRow& row);

// What cannot be, whoever wrote it: text that is not UTF-8, 0 ranks, a time below 0. The figures'
// JSON is not looked into; fault_in() of src/experiments/sweep/cell_answer.hpp does.
[[nodiscard]] std::optional<std::string> fault_in(const CellRow& row);

// "allreduce/ring, p = 4, n = 64": for complaints.
[[nodiscard]] std::string cell_name(const CellKey& key);

}  // namespace tutti::inline experiments
