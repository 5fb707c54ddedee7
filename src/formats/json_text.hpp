// Converts JSON to text, even if its strings are not valid UTF-8.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tutti::inline formats {

// Returns the text that dump() returns, but with U+FFFD in place of invalid UTF-8, for which dump()
// would throw. Names that users give may contain invalid UTF-8.
template <typename Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tutti::inline formats
