// The header of a file in the notation: the lines before its operations.
#pragma once

#include <string>

#include "schedules/block_layout.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/scanner.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

struct NotationHeader {
  std::string algorithm;
  Problem problem;
  BlockLayout layout;
  std::uint32_t switches = 0;
  // True if the header says how the vector is split into blocks. Otherwise no operation may name
  // blocks, and the layout has as few blocks as the collective allows.
  bool has_blocks = false;
};

// These two functions read the value of the field `collective` or `algorithm`. The header of a
// program has these fields, too. `read_collective` fails at "application".
[[nodiscard]] Collective read_collective(Scanner& scanner);
[[nodiscard]] std::string read_algorithm_name(Scanner& scanner);

// Parses the header. Leaves the scanner at the first statement, or at the end of the file.
[[nodiscard]] NotationHeader parse_header(Scanner& scanner, const ParseLimits& limits);

}}  // namespace tutti::schedules
