#include "src/formats/csv_lines.hpp"

#include <nlohmann/json.hpp>

#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"

namespace tutti::inline formats {

namespace {

using Json = nlohmann::ordered_json;

std::string csv_value(const Json& value) {
  if (value.is_null()) {
    return "";
  }
  return csv_field(value.is_string() ? value.get<std::string>() : json_text(value));
}

}  // namespace

std::string csv_names_line(const Json& json) {
  std::string line;
  for (const auto& [key, value] : json.items()) {
    if (!line.empty()) {
      line += ',';
    }
    line += csv_field(key);
  }
  return line + '\n';
}

std::string csv_values_line(const Json& names, const Json& json) {
  std::string line;
  for (const auto& [key, value] : names.items()) {
    if (&value != &*names.begin()) {
      line += ',';
    }
    if (json.contains(key)) {
      line += csv_value(json.at(key));
    }
  }
  return line + '\n';
}

}  // namespace tutti::inline formats
