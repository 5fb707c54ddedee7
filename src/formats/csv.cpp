#include "src/formats/csv.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text_lines.hpp"
#include "src/formats/fields.hpp"
#include "src/formats/json_text.hpp"

namespace tutti { inline namespace formats {

std::string csv_field(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '"');
  }
  return fmt::format("\"{}\"", text);
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false;
  bool was_quoted = false;
  const auto end_field = [&] {
    fields.emplace_back(was_quoted ? std::string_view(field) : trimmed(field));
    field.clear();
    was_quoted = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      field += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
      field = quoted && trimmed(field).empty() ? std::string() : field;
      was_quoted = true;
    } else if (line[i] == ',' && !quoted) {
      end_field();
    } else if (quoted || !was_quoted || (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')) {
      field += line[i];
    }
  }
  end_field();
  return fields;
}

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

std::string csv_names_line(const FieldView& columns, const void* object) {
  nlohmann::ordered_json json;
  put_object(json, columns, object);
  return csv_names_line(json);
}

std::string csv_values_line(const FieldView& columns, const void* object) {
  nlohmann::ordered_json json;
  put_object(json, columns, object);
  return csv_values_line(json, json);
}

}}  // namespace tutti::formats
