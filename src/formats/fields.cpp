#include "src/formats/fields.hpp"

#include <nlohmann/json.hpp>

#include <span>

namespace tutti { inline namespace formats {

void put_value(JsonValue& out, bool value) { out = value; }
void put_value(JsonValue& out, std::uint64_t value) { out = value; }
void put_value(JsonValue& out, std::int64_t value) { out = value; }
void put_value(JsonValue& out, double value) { out = value; }
void put_value(JsonValue& out, std::string_view value) { out = value; }
void put_value(JsonValue& out, JsonValue&& value) { out = std::move(value); }

void make_list(JsonValue& out) { out = JsonValue::array(); }
JsonValue& add_item(JsonValue& out) { return out.emplace_back(); }
void make_object(JsonValue& out) { out = JsonValue::object(); }
JsonValue& add_member(JsonValue& out, std::string_view name) {
  // The names differ: operator[] would search for the name.
  auto& members = static_cast<std::vector<JsonValue::object_t::value_type>&>(
      out.get_ref<JsonValue::object_t&>());
  return members.emplace_back(std::string(name), JsonValue()).second;
}

void put_nulls(JsonValue& out, const FieldView& fields) {
  for (const Field& field : std::span(fields.begin, fields.count)) {
    if (field.name.empty()) {
      put_nulls(out, field.nested());
    } else if (field.write != nullptr && !field.shape.optional && !field.limits.absent) {
      add_member(out, field.name);
    }
  }
}

void put_object(JsonValue& out, const FieldView& fields, const void* object) {
  if (out.is_null()) {
    make_object(out);
  }
  for (const Field& field : std::span(fields.begin, fields.count)) {
    if (field.write == nullptr) {
      continue;
    }
    if (field.name.empty()) {
      field.write(out, object, field);
      continue;
    }
    JsonValue value;
    if (!field.write(value, object, field) ||
        (value.is_null() && field.limits.absent && !field.shape.optional) ||
        (field.limits.absent_if_empty && value.is_string() &&
         value.get_ref<const std::string&>().empty())) {
      continue;
    }
    if (field.limits.one_without_list && value.size() < 2) {
      value = value.empty() ? JsonValue() : JsonValue(value.front());
    }
    add_member(out, field.name) = std::move(value);
  }
}

}}  // namespace tutti::formats
