// The table of cells, in SQL: its columns, the rows that are read from it, and whether a file has
// it as tutti makes it.
#pragma once

#include <cstdint>
#include <string>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti::inline experiments {

// SQLite's marks of whose a file is, and of which make.
inline constexpr std::int64_t kApplicationId = 0x74757474;  // "tutt"
inline constexpr std::int64_t kSchemaVersion = 4;

// Makes it where it is not there.
extern const char* const kCellTable;

// Columns that are no part of the key, before the checksum.
extern const char* const kValueColumns;
inline constexpr int kValues = 17;

// Names of the key's columns, with commas.
[[nodiscard]] const std::string& key_columns();
[[nodiscard]] int columns_of_key();
// "version=?1 AND collective=?2 AND ..."
[[nodiscard]] std::string key_condition();
void bind_key(Statement& statement, const CellKey& key);
// The checksum of a row's columns as key_columns() and kValueColumns have them.
[[nodiscard]] CellRow row_at(const Statement& statement);

// Throws UserError unless it is a database of cells, with the tables that tutti makes and nothing
// beside them.
void check_cell_table(Database& database);

}  // namespace tutti::inline experiments
