// Writes JSON objects of plain values as lines of comma-separated values, quoted according to RFC
// 4180.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tutti::inline formats {

[[nodiscard]] std::string csv_names_line(const nlohmann::ordered_json& names);
// Returns a line with the value of each key of `names`; the value is empty if the key is missing or
// null in `json`.
[[nodiscard]] std::string csv_values_line(const nlohmann::ordered_json& names,
                                          const nlohmann::ordered_json& json);

}  // namespace tutti::inline formats
