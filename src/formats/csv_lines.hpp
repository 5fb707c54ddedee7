// JSON objects of plain values as lines of comma-separated values, quoted as RFC 4180 has it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tutti::inline formats {

[[nodiscard]] std::string csv_names_line(const nlohmann::ordered_json& names);
// A value for each name of `names`; empty where `json` has none, and for null.
[[nodiscard]] std::string csv_values_line(const nlohmann::ordered_json& names,
                                          const nlohmann::ordered_json& json);

}  // namespace tutti::inline formats
