// Classes of ASCII characters, as in the C locale.
#pragma once

namespace tutti { inline namespace base {

// True if the character is a digit of a number in base 8, 10 or 16.
[[nodiscard]] constexpr bool is_digit(char c, int base = 10) {
  return base == 16 ? is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')
                    : c >= '0' && c < '0' + base;
}
[[nodiscard]] constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }
// True for a space or a tab.
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
// True for all white space, with line ends.
[[nodiscard]] constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}}  // namespace tutti::base
