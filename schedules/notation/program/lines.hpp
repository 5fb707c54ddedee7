// Cuts the text of a program into its statements, with the indentation of each.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/notation/scanner.hpp"

namespace tutti { inline namespace schedules { namespace program {

struct Line {
  const char* begin;
  const char* end;
  // Number of columns before the statement. A tab goes to the next multiple of 4.
  std::uint32_t indent;
};

// Splits the text from the scanner's place, which must be the start of a line, to the end. A
// statement continues on the next line while a bracket is open, and if the next line begins with
// '+', '->', 'op' or 'After'. A statement that begins with 'use' also continues if the next line
// begins with one of its clauses.
[[nodiscard]] std::vector<Line> split_into_lines(Scanner& scanner);

}}}  // namespace tutti::schedules::program
