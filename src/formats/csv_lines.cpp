#include "src/formats/csv_lines.hpp"

#include <nlohmann/json.hpp>

#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"

namespace tutti::inline formats {

namespace {

std::string csv_value(const nlohmann::ordered_json& value) {
  if (value.is_null()) {
    return "";
  }
  return csv_field(value.is_string() ? value.get<std::string>() : json_text(value));
}

}  // namespace

std::string csv_names_line(const nlohmann::ordered_json& json) {
  std::string line;
  for (const auto& [key, value] : json.items()) {
    if (!line.empty()) {
      line += ',';
    }
    line += csv_field(key);
  }
  return line + '\n';
}

std::string csv_values_line(const nlohmann::ordered_json& names,
                            const nlohmann::ordered_json& json) {
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
