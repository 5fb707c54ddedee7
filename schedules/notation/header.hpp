// The lines of a file in the notation that stand before its operations.
#pragma once

#include <string>

#include "schedules/block_layout.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/scanner.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules {

struct NotationHeader {
  std::string algorithm;
  Problem problem;
  BlockLayout layout;
  std::uint32_t switches = 0;  // that take part
  bool has_blocks =
      false;  // otherwise the layout is the coarsest, and no operation may name blocks
};

// The values of two fields, which programs have as well.
[[nodiscard]] Collective read_collective(Scanner& scanner);
[[nodiscard]] std::string read_algorithm_name(Scanner& scanner);

// Leaves the scanner at the first statement, or at the end of the file.
[[nodiscard]] NotationHeader parse_header(Scanner& scanner, const ParseLimits& limits);

}  // namespace tutti::inline schedules
