#include "base/file_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "base/text_cursor.hpp"

namespace tutti { inline namespace base {

namespace {

// Moves behind the next occurrence of the key and of its colon, from the position of the cursor on.
// Returns false if there is none.
bool next_json_key(TextCursor& cursor, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\"", key);
  for (std::size_t at = cursor.rest().find(quoted); at != cursor.rest().npos;
       at = cursor.rest().find(quoted)) {
    cursor.take(at + quoted.size());
    cursor.take_while(is_space);
    if (cursor.take(":")) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view xml_root(std::string_view text) {
  TextCursor cursor(text);
  while (true) {
    cursor.take_while(is_space);
    const std::string_view end = cursor.rest().starts_with("<!--") ? "-->"
                                 : cursor.rest().starts_with("<?") ? "?>"
                                 : cursor.rest().starts_with("<!") ? ">"
                                                                   : "";
    const std::size_t at = cursor.rest().find(end);
    if (end.empty() || at == text.npos) {
      break;
    }
    cursor.take(at + end.size());
  }
  if (!cursor.take("<")) {
    return "";
  }
  return cursor.take_while(
      [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-' || c == ':' || c == '.'; });
}

std::string_view json_schema_of(std::string_view text) {
  TextCursor cursor(text);
  if (!next_json_key(cursor, "schema")) {
    return "";
  }
  cursor.take_while(is_space);
  return cursor.take("\"") ? cursor.take_while([](char c) { return c != '"'; })
                           : std::string_view();
}

bool has_json_key(std::string_view text, std::string_view key) {
  TextCursor cursor(text);
  return next_json_key(cursor, key);
}

std::string_view benchmark_mark(std::string_view text) {
  constexpr std::array<std::string_view, 7> kMarks{"# OSU MPI",       "Intel(R) MPI Benchmarks",
                                                   "# Benchmarking ", "nccl-tests version",
                                                   "# nThread ",      "busbw",
                                                   "rccl-tests"};
  const auto found = std::ranges::find_if(
      kMarks, [&](std::string_view mark) { return text.find(mark) != text.npos; });
  return found == kMarks.end() ? std::string_view() : *found;
}

}}  // namespace tutti::base
