// Reads a schedule in the notation, as print.hpp writes it or as a person does. The grammar stands
// in README.md beside this file.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "schedules/notation/notation_error.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline base {
class FileText;
}  // namespace tutti::inline base

namespace tutti::inline schedules {

// What a file may ask for. A few bytes of text can name any number of blocks; the limits are far
// above what a schedule needs, and keep memory and time in proportion to the file otherwise.
struct ParseLimits {
  std::uint32_t ranks = 1U << 20U;
  std::uint32_t blocks = 1U << 24U;
  std::uint32_t slots = 1U << 24U;  // of scratch
  // Runs of blocks that are looked at one by one, over all operations.
  std::uint64_t block_runs = std::uint64_t{1} << 36U;
  std::uint64_t dependencies = std::numeric_limits<std::uint32_t>::max();
};

struct ParsedSchedule {
  std::string algorithm;  // of the header, without its collective; "unnamed" if it names none
  Schedule schedule;
};

// `text` is the contents of `file`, which is only named in errors. Operations keep the order of the
// file where each comes after all that it depends on there; otherwise see assemble(). Throws
// NotationError.
[[nodiscard]] ParsedSchedule parse_notation(const std::string& text, std::string_view file,
                                            const ParseLimits& limits = {});

// Throws UserError when the file cannot be read, NotationError when it is not as it should be.
[[nodiscard]] ParsedSchedule read_notation(const std::string& path);
// Takes a file that has been read.
[[nodiscard]] ParsedSchedule read_notation(const FileText& text, std::string_view path);

}  // namespace tutti::inline schedules
