// JSON as text, whatever strings are in it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tutti::inline formats {

// As dump() has it, but of names that are no UTF-8 what is none becomes U+FFFD, since JSON has no
// other way to say them; dump() would throw.
template <typename Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tutti::inline formats
