// Marks by which files of other kinds are recognised, for messages about files that are given in a
// wrong place.
#pragma once

#include <string_view>

namespace tutti { inline namespace base {

// The name and the version of SQLite's format, with which a database begins.
inline constexpr std::string_view kDatabaseMark = "SQLite format 3";

// Returns the name of the root element of XML; "" if there is none.
[[nodiscard]] std::string_view xml_root(std::string_view text);

// Returns the value of the first key "schema" of JSON; "" if there is none, or if it is not a text.
[[nodiscard]] std::string_view json_schema_of(std::string_view text);
// True if JSON has this key in any of its objects.
[[nodiscard]] bool has_json_key(std::string_view text, std::string_view key);

// Returns a text that only outputs of benchmarks have, such as "# OSU MPI"; "" if there is none.
[[nodiscard]] std::string_view benchmark_mark(std::string_view text);

}}  // namespace tutti::base
