#include "schedules/notation/notation_error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/field_names.hpp"
#include "base/printable.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Number of columns of a printable() text.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

// Returns about `most` bytes of `line` from `first` on. Moves the start, `first`, and the end so
// that no UTF-8 character is split.
std::string_view cut(std::string_view line, std::size_t& first, std::size_t most) {
  const auto goes_on = [line](std::size_t i) {
    return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xc0U) == 0x80U;
  };
  std::size_t end = std::min(first + most, line.size());
  for (int i = 0; i < 3; ++i) {
    first -= first > 0 && goes_on(first) ? 1 : 0;
    end += goes_on(end) ? 1 : 0;
  }
  return line.substr(first, end - first);
}

// Returns the line with a caret below `column`, or "" if more than a quarter of the shown part of
// the line is not printable.
std::string excerpt_of(std::string_view line, std::size_t line_number, std::size_t column) {
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kWidth = 100;
  std::size_t first = line.size() > kWidth && column > kBefore ? column - kBefore : 0;
  const std::string_view part = cut(line, first, kWidth);
  // printable() does not change the number of bytes.
  const std::string visible = printable(part);
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    hidden += visible[i] != part[i] && part[i] != '\t' ? 1 : 0;
  }
  if (4 * hidden > part.size()) {
    return "";
  }
  std::string shown = first > 0 ? "..." : "";
  const std::size_t caret = shown.size() + width_of(visible.substr(0, column - first));
  shown += visible;
  if (first + part.size() < line.size()) {
    shown += "...";
  }
  return fmt::format("  {:>5} | {}\n  {:>5} | {:>{}}\n", line_number, shown, "", '^', caret + 1);
}

}  // namespace

namespace {

struct TextPlace {
  std::size_t line = 1;
  // Offset of the start of the line.
  std::size_t begin = 0;
  // Offset in the line, from 0.
  std::size_t column = 0;
};

TextPlace place_of(std::string_view text, std::size_t offset) {
  const auto newlines =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {static_cast<std::size_t>(newlines) + 1, begin, offset - begin};
}

}  // namespace

std::string place_in(std::string_view file, std::string_view text, std::size_t offset) {
  const TextPlace place = place_of(text, offset);
  return fmt::format("{}:{}", place_in_file(file, place.line), place.column + 1);
}

void fail_notation(std::string_view file, std::string_view text, std::size_t offset,
                   std::string_view what) {
  const TextPlace place = place_of(text, offset);
  std::string_view line = text.substr(place.begin, text.find('\n', place.begin) - place.begin);
  if (line.size() > place.column && line.back() == '\r') {
    line.remove_suffix(1);
  }
  throw NotationError(fmt::format("{}: {}", place_in(file, text, offset), what),
                      excerpt_of(line, place.line, place.column));
}

}}  // namespace tutti::schedules
