// The built-in decision tables of MPI libraries. They are in the files of src/built_in/tables;
// `file` is the name of such a file, without the folder.
#pragma once

#include <string_view>

#include "src/rule_files/decision_table.hpp"

namespace tutti { inline namespace built_in {

// Returns the text of a file, which is in the format tutti-decisions/1; empty if there is no such
// file.
[[nodiscard]] std::string_view built_in_table_text(std::string_view file);

// Returns the file's table for the collective; null if the file has none. Reads each file only
// once. Throws InvariantError if the file does not exist or has errors.
[[nodiscard]] const DecisionTable* built_in_table(std::string_view file, Collective collective);

}}  // namespace tutti::built_in
