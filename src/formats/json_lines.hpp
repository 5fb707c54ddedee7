// JSON with the line of every value, for complaints that name it. Keys keep their order, and one
// that stands twice is there twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline formats {

struct JsonLine {
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };

  Kind kind = Kind::null;
  std::size_t line = 0;  // where the value begins; of a member, where its key stands
  std::string key;       // of a member of an object; printable
  std::string text;      // of a string, printable; of other scalars, as JSON has them
  bool truth = false;
  std::int64_t number = 0;         // of an integer, as far as 64 bits hold it
  std::vector<JsonLine> children;  // of arrays and objects

  [[nodiscard]] bool is(Kind other) const { return kind == other; }
  // The first member of that name; null where there is none.
  [[nodiscard]] const JsonLine* find(std::string_view name) const;
};
// "a list", "an integer": for complaints.
[[nodiscard]] std::string_view name(JsonLine::Kind kind);

struct JsonFault {
  std::size_t line = 0;
  std::string text;
};

// Either the value, or what is wrong with the text and where. Comments as in C are taken where
// `comments` says so.
struct JsonText {
  std::optional<JsonLine> value;
  JsonFault fault;
};
[[nodiscard]] JsonText parse_json_lines(std::string_view text, bool comments = false);

}  // namespace tutti::inline formats
