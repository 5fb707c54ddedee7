// Converts JSON to text, even if its strings are not valid UTF-8, and values to JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tutti { inline namespace formats {

// Returns the text that dump() returns, but with U+FFFD in place of invalid UTF-8, for which dump()
// would throw. Names that users give may contain invalid UTF-8.
template <typename Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Returns the value as JSON; null if there is no value, or if the text is empty.
template <typename Value>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}
[[nodiscard]] inline nlohmann::ordered_json or_null(std::string_view text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

// Returns an array with the result of `json_of` for each of `values`.
template <typename Values, typename JsonOf>
[[nodiscard]] nlohmann::ordered_json json_array(const Values& values, JsonOf&& json_of) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const auto& value : values) {
    array.push_back(json_of(value));
  }
  return array;
}

}}  // namespace tutti::formats
