// The SQL table of cells: its columns, its rows, and checks that the table in a file is as tutti
// makes it, and that its rows are not damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti { inline namespace experiments {

// SQLite's application_id and user_version in databases of tutti.
inline constexpr std::int64_t kApplicationId = 0x74757474;  // "tutt"
inline constexpr std::int64_t kSchemaVersion = 5;

// Returns the SQL that makes the table if it is missing.
[[nodiscard]] std::string make_cell_table();
// Returns the SQL that adds a row. bind_row() binds the values of the row. If a row with the same
// key exists, the SQL replaces it under the conditions that ResultStore::put() names.
[[nodiscard]] std::string put_cell();
// Returns an SQL condition that holds for the row with a given key: "version=?1 AND collective=?2
// AND ...".
[[nodiscard]] std::string key_condition();
// Binds the parameters of key_condition().
void bind_key(Statement& statement, const CellKey& key);
void bind_row(Statement& statement, const CellRow& row, std::string_view checksum);

// Names of all columns, separated by commas; the last is the checksum.
[[nodiscard]] const std::string& all_columns();
[[nodiscard]] int column_count();
// Reads the current row of a statement that selects all_columns().
[[nodiscard]] CellRow row_at(const Statement& statement);

// Throws UserError unless the file is a results database of tutti in the current format, and its
// table of cells has the columns and the unique key that tutti makes. The file must not contain
// views, triggers or virtual tables.
void check_cell_table(Database& database);

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

}}  // namespace tutti::experiments
