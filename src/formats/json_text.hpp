// JSON as text, even if its strings are not valid UTF-8.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tutti::inline formats {

// Like dump(), but replaces invalid UTF-8 by U+FFFD, because JSON cannot represent it; dump() would
// throw. Names from outside may contain it.
template <typename Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tutti::inline formats
