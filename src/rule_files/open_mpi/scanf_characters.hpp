// Classes of characters as fscanf() knows them, which reads Open MPI's rule files.
#pragma once

namespace tutti { inline namespace rule_files {

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// True if the character is a digit of a number in base 8, 10 or 16.
[[nodiscard]] constexpr bool is_digit(char c, int base) {
  if (base == 16) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
  return c >= '0' && c < (base == 8 ? '8' : '9' + 1);
}

}}  // namespace tutti::rule_files
