// Splits and trims text.
#pragma once

#include <algorithm>
#include <string_view>

namespace tutti::inline base {

// Returns `text` without the blanks, tabs and carriage returns at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

// Moves the next line from `rest` to `line`, without the line end ("\n" or "\r\n"). Returns false
// if `rest` is empty.
[[nodiscard]] inline bool next_line(std::string_view& rest, std::string_view& line) {
  if (rest.empty()) {
    return false;
  }
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return true;
}

}  // namespace tutti::inline base
