// Reads a schedule in the notation, written by the functions of print.hpp or by hand. README.md
// beside this file has the grammar.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "schedules/notation/notation_error.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace base {
class FileText;
}}  // namespace tutti::base

namespace tutti { inline namespace schedules {

// Limits on the numbers in a file. A few bytes of text can name any number of blocks. The limits
// are far above what a schedule needs, and prevent a small file from using too much memory and
// time.
struct ParseLimits {
  std::uint32_t ranks = 1U << 20U;
  std::uint32_t blocks = 1U << 24U;
  // Number of scratch slots.
  std::uint32_t slots = 1U << 24U;
  // Number of runs of consecutive blocks that are checked one by one, in all operations together.
  std::uint64_t block_runs = std::uint64_t{1} << 36U;
  std::uint64_t dependencies = std::numeric_limits<std::uint32_t>::max();
};

struct ParsedSchedule {
  // The name in the header, without the collective. "unnamed" if the header has no name.
  std::string algorithm;
  Schedule schedule;
};

// Parses `text`. `file` is the file name that errors show. Operations keep the order of the text if
// this order is topological; otherwise assemble() sorts them. Throws NotationError if the text is
// invalid.
[[nodiscard]] ParsedSchedule parse_notation(const std::string& text, std::string_view file,
                                            const ParseLimits& limits = {});

// Reads and parses the file at `path`. Throws UserError if the file cannot be read, NotationError
// if it is invalid.
[[nodiscard]] ParsedSchedule read_notation(const std::string& path);
// Parses a file that has been read already. `path` is the file name that errors show.
[[nodiscard]] ParsedSchedule read_notation(const FileText& text, std::string_view path);

}}  // namespace tutti::schedules
