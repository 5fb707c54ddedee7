// JSON values with their line numbers, for error messages. Keys keep their order, and duplicate
// keys are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace formats {

struct JsonLine {
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };

  Kind kind = Kind::null;
  std::size_t line = 0;  // line where the value begins; for a member of an object, line of its key
  std::string key;       // key of a member of an object; printable
  std::string text;      // for strings: the value, printable; for other scalars: their JSON text
  bool truth = false;
  std::int64_t number = 0;         // value of an integer, limited to the largest 64-bit value
  std::vector<JsonLine> children;  // elements of an array, members of an object

  [[nodiscard]] bool is(Kind other) const { return kind == other; }
  // Returns the first member whose key is `name`; null if there is none.
  [[nodiscard]] const JsonLine* find(std::string_view name) const;
};
// Name of a kind in error messages: "a list", "an integer".
[[nodiscard]] std::string_view name(JsonLine::Kind kind);

struct JsonFault {
  std::size_t line = 0;
  std::string text;
};

// Result of parse_json_lines(): either the value, or the fault and its line.
struct JsonText {
  std::optional<JsonLine> value;
  JsonFault fault;
};
// Parses JSON. C comments are allowed if `comments` is true.
[[nodiscard]] JsonText parse_json_lines(std::string_view text, bool comments = false);

}}  // namespace tutti::formats
