// The table of cells, in SQL: its columns, the rows that are read from it, and whether a file has
// it as tutti makes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti::inline experiments {

// SQLite's marks of whose a file is, and of which make.
inline constexpr std::int64_t kApplicationId = 0x74757474;  // "tutt"
inline constexpr std::int64_t kSchemaVersion = 5;

// "version TEXT NOT NULL, ...": makes the table where it is not there.
[[nodiscard]] std::string make_cell_table();
// Puts a row in, bound by bind_row(), unless what is there says as much.
[[nodiscard]] std::string put_cell();
// "version=?1 AND collective=?2 AND ..."
[[nodiscard]] std::string key_condition();
// Of key_condition().
void bind_key(Statement& statement, const CellKey& key);
void bind_row(Statement& statement, const CellRow& row, std::string_view checksum);

// Names of all columns, with commas; the last is the checksum.
[[nodiscard]] const std::string& all_columns();
[[nodiscard]] int column_count();
// Of a statement that selects all_columns().
[[nodiscard]] CellRow row_at(const Statement& statement);

// Throws UserError unless it is a database of cells, with the tables that tutti makes and nothing
// beside them.
void check_cell_table(Database& database);

}  // namespace tutti::inline experiments
