// library_algorithms.csv: what MPI libraries call their algorithms, and which of tutti's is the same.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "src/rule_files/library_algorithms.hpp"

namespace tutti::inline rule_files {

// The text of "library_algorithms.csv".
[[nodiscard]] std::string_view library_rows_text(std::string_view file);

// All rows; those of a library stand together.
[[nodiscard]] const std::vector<LibraryAlgorithm>& library_rows();
[[nodiscard]] std::span<const LibraryAlgorithm> rows_of_library(std::string_view library);

}  // namespace tutti::inline rule_files
