// The SQL table of cells: its columns, its rows, and a check that the table in a file is as tutti
// makes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti::inline experiments {

// SQLite's application_id and user_version in databases of tutti.
inline constexpr std::int64_t kApplicationId = 0x74757474;  // "tutt"
inline constexpr std::int64_t kSchemaVersion = 5;

// Returns the SQL that makes the table if it is missing.
[[nodiscard]] std::string make_cell_table();
// Returns the SQL that adds a row. bind_row() binds the values of the row. If a row with the same
// key exists, the SQL does what ResultStore::put() describes.
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

}  // namespace tutti::inline experiments
