// Splits, trims and joins text, and reads numbers.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace base {

// Returns `text` without the blanks, tabs and carriage returns at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

// Splits `text` at each `separator`. Returns at least one part; parts may be empty.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Joins words into a text such as "chain, binary or binomial". `words` is an array or a vector.
template <typename Words>
[[nodiscard]] std::string alternatives(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
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

// Returns `text` with its ASCII letters in lower case.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& each : lower) {
    each = static_cast<char>(each >= 'A' && each <= 'Z' ? each - 'A' + 'a' : each);
  }
  return lower;
}
// Returns the text with upper-case letters.
[[nodiscard]] inline std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](char each) {
    return each >= 'a' && each <= 'z' ? static_cast<char>(each - 'a' + 'A') : each;
  });
  return upper;
}

// Returns the number that the whole of `text` is, as std::from_chars() reads it ("nan" and "inf"
// are real numbers, too). Empty if the text is not a number, or not one of this type.
template <typename Number>
[[nodiscard]] std::optional<Number> parsed_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

}}  // namespace tutti::base
