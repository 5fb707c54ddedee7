#include "schedules/notation/notation_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti {

namespace {

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      c = ' ';
    } else if (byte < 0x20 || byte >= 0x7f) {
      c = '?';
    }
  }
  return result;
}

std::string excerpt_of(std::string_view line, std::size_t line_number, std::size_t column) {
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kWidth = 100;
  std::string shown;
  std::size_t first = 0;
  if (line.size() > kWidth && column > kBefore) {
    first = column - kBefore;
    shown = "...";
  }
  const std::size_t caret = shown.size() + column - first;
  shown += printable(line.substr(first, kWidth));
  if (first + kWidth < line.size()) {
    shown += "...";
  }
  return fmt::format("  {:>5} | {}\n  {:>5} | {:>{}}\n", line_number, shown, "", '^', caret + 1);
}

}  // namespace

void fail_notation(std::string_view file, std::string_view text, std::size_t offset,
                   std::string_view what) {
  const auto newlines =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const std::size_t column = offset - begin;
  if (line.size() > column && line.back() == '\r') {
    line.remove_suffix(1);
  }
  const auto line_number = static_cast<std::size_t>(newlines) + 1;
  throw NotationError(fmt::format("{}:{}:{}: {}", file, line_number, column + 1, what),
                      excerpt_of(line, line_number, column));
}

}  // namespace tutti
