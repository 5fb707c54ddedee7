// Writes lines of comma-separated values, quoted according to RFC 4180, and splits lines into
// fields.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "src/formats/fields.hpp"

namespace tutti { inline namespace formats {

// Quotes a field according to RFC 4180 if necessary. The names of platforms, hosts and links come
// from users and may contain commas.
[[nodiscard]] std::string csv_field(std::string text);

// Splits a line into fields, without the blanks and quotation marks around them.
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view line);

// csv_names_line() returns a line with the keys of a JSON object. csv_values_line() returns a line
// with the value of each key of `names`; the value is empty if the key is missing or null in
// `json`.
[[nodiscard]] std::string csv_names_line(const nlohmann::ordered_json& names);
[[nodiscard]] std::string csv_values_line(const nlohmann::ordered_json& names,
                                          const nlohmann::ordered_json& json);
// The same for the fields that an object has.
[[nodiscard]] std::string csv_names_line(const FieldView& columns, const void* object);
[[nodiscard]] std::string csv_values_line(const FieldView& columns, const void* object);

}}  // namespace tutti::formats
