// Reads a row of a results database from text with one column per line, for tests that invent rows.
#pragma once

#include <charconv>
#include <optional>
#include <sstream>
#include <string>

#include "src/experiments/sweep/result_store.hpp"

namespace fuzz {

namespace detail {

inline void take(const std::string& text, std::string& into) { into = text; }
inline void take(const std::string& text, std::int64_t& into) {
  (void)std::from_chars(text.data(), text.data() + text.size(), into);
}
inline void take(const std::string& text, std::optional<double>& into) {
  double number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) {
    into = number;
  }
}
inline void take(const std::string& text, tutti::CellStatus& into) {
  into = text == "done"      ? tutti::CellStatus::done
         : text == "refused" ? tutti::CellStatus::refused
                             : tutti::CellStatus::failed;
}

}  // namespace detail

// Returns the row that `text` describes. If `text` has too few lines, the last columns are empty.
inline tutti::CellRow row_of(const std::string& text) {
  std::istringstream lines(text);
  tutti::CellRow row;
  const auto next = [&lines](auto& value) {
    std::string line;
    std::getline(lines, line);
    detail::take(line, value);
  };
  for_each_column(row.key, [&next](std::string_view, auto& value) { next(value); });
  for_each_value(row, [&next](std::string_view, auto& value) { next(value); });
  return row;
}

}  // namespace fuzz
