// Cuts the text of a program into its statements, with the indentation of each.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/notation/scanner.hpp"

namespace tutti::inline schedules::program {

struct Line {
  const char* begin;
  const char* end;
  std::uint32_t indent;  // columns; a tab goes to the next multiple of 4
};

// From where the scanner stands to the end of the text, which must be the start of a line. A
// statement goes on over the line's end while a bracket is open, and where the next line begins
// with '+', '->', 'op' or 'After', and one that begins with 'use' before its clauses.
[[nodiscard]] std::vector<Line> split_into_lines(Scanner& scanner);

}  // namespace tutti::inline schedules::program
