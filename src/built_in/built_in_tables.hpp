// The decision tables of libraries: the files of src/built_in/tables.
#pragma once

#include <span>
#include <string_view>

#include "src/rule_files/decision_table.hpp"

namespace tutti::inline built_in {

// "" where there is no such file. Files are in the form tutti-decisions/1.
[[nodiscard]] std::string_view built_in_table_text(std::string_view file);

// All tables of a file, read once. Throws InvariantError where it does not exist or is not sound.
[[nodiscard]] std::span<const DecisionTable> built_in_tables(std::string_view file);

// Null where the file has none.
[[nodiscard]] const DecisionTable* built_in_table(std::string_view file, Collective collective);

}  // namespace tutti::inline built_in
