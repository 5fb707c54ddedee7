// The words of a text, and what they consist of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

inline constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
inline constexpr std::string_view kDecimalDigits = "0123456789";

// Splits `text` at all characters in `separators`. Leaves out empty parts, as strtok() does.
[[nodiscard]] inline std::vector<std::string_view> words_in(std::string_view text,
                                                            std::string_view separators = " \t") {
  std::vector<std::string_view> found;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(separators), text.size()));
    if (text.empty()) {
      return found;
    }
    found.push_back(text.substr(0, text.find_first_of(separators)));
    text.remove_prefix(found.back().size());
  }
}

// Returns `text` without the characters in `blanks` at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Returns `text` without the byte order mark at its beginning, if it has one.
[[nodiscard]] inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

// True if `text` has digits only. True for an empty text.
[[nodiscard]] inline bool has_only_digits(std::string_view text) {
  return text.find_first_not_of(kDecimalDigits) == std::string_view::npos;
}

// Returns a name in lower case and without `_`, `-` and blanks, for names that people write in
// several ways: "allreduce" for "All_Reduce".
[[nodiscard]] inline std::string plain_name(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return plain;
}

}}  // namespace tutti::base
