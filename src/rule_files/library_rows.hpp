// Rows of library_algorithms.csv: the algorithms of MPI libraries and their equivalents in tutti.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "src/rule_files/library_algorithms.hpp"

namespace tutti { inline namespace rule_files {

// Returns the text of an embedded file; `file` must be "library_algorithms.csv".
[[nodiscard]] std::string_view library_rows_text(std::string_view file);

// Returns all rows, grouped by library.
[[nodiscard]] const std::vector<LibraryAlgorithm>& library_rows();
[[nodiscard]] std::span<const LibraryAlgorithm> rows_of_library(std::string_view library);

}}  // namespace tutti::rule_files
