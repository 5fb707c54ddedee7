#include "src/formats/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"

namespace tutti { inline namespace formats {

namespace {

// Calls visit(field) for each field, in place of lists of fields for the fields themselves.
template <typename Visit>
void for_each_field(const FieldView& fields, const Visit& visit) {
  for (const Field& field : std::span(fields.begin, fields.count)) {
    if (field.name.empty()) {
      for_each_field(field.nested(), visit);
    } else {
      visit(field);
    }
  }
}

bool may_be_absent(const Field& field) {
  return field.limits.absent || field.limits.later || field.shape.optional;
}

std::vector<std::string> words_of(const FieldLimits& limits) {
  if (limits.word_list != nullptr) {
    const auto words = limits.word_list();
    return {words.begin(), words.end()};
  }
  const std::span words(limits.words, limits.word_count);
  return {words.begin(), words.end()};
}

JsonValue number_json(double value) {
  constexpr double kWhole = 1e18;
  const auto whole = std::abs(value) < kWhole ? static_cast<std::int64_t>(value) : 0;
  return static_cast<double>(whole) == value ? JsonValue(whole) : JsonValue(value);
}

void allow_null(JsonValue& schema) {
  if (schema.contains("enum")) {
    schema["enum"].push_back(nullptr);
  } else if (schema.contains("type") && !schema["type"].is_array()) {
    schema["type"] = JsonValue::array({schema["type"], "null"});
  } else if (schema.contains("oneOf")) {
    schema["oneOf"].push_back({{"type", "null"}});
  } else if (schema.contains("anyOf")) {
    schema["anyOf"].insert(schema["anyOf"].begin() + 1, JsonValue{{"type", "null"}});
  } else if (!schema.contains("type")) {
    schema = {{"oneOf", JsonValue::array({{{"type", "null"}}, std::move(schema)})}};
  }
}

// A number with its limits.
void put_limits(JsonValue& schema, const Field& field) {
  const FieldLimits& limits = field.limits;
  if (limits.above) {
    schema["exclusiveMinimum"] = number_json(*limits.above);
  } else if (limits.least || !(limits.any_sign || field.shape.has_sign)) {
    schema["minimum"] = number_json(limits.least.value_or(0));
  }
  if (limits.most) {
    schema["maximum"] = number_json(*limits.most);
  }
}

// Makes the schema of a document.
class SchemaMaker {
 public:
  explicit SchemaMaker(const DocumentType& type) : type_(type) {
    count(type.fields);
    count(type.without_result);
    for (const DocumentForm& form : type.forms) {
      count(form.fields);
    }
  }

  JsonValue schema() {
    JsonValue all{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"title", fmt::format("{}: {}", type_.schema, type_.title)}};
    const Place whole = type_.has_made_by ? Place::file : Place::row;
    if (type_.is_list) {
      all["type"] = "array";
      all["items"] = object_schema(type_.fields, Place::row);
    } else if (!type_.forms.empty()) {
      for (const DocumentForm& form : type_.forms) {
        all["oneOf"].push_back({{"$ref", fmt::format("#/definitions/{}", form.name)}});
        define(std::string(form.name), object_schema(form.fields, whole));
      }
    } else if (type_.without_result.count == 0) {
      all.update(object_schema(type_.fields, whole));
    } else {
      define("result", object_schema(type_.fields, whole));
      JsonValue refusal = object_schema(type_.without_result, Place::row);
      refusal["additionalProperties"] = {{"type", "null"}};
      define("refusal", std::move(refusal));
      const JsonValue result{{"$ref", "#/definitions/result"}};
      const JsonValue rows = JsonValue::array({result, {{"$ref", "#/definitions/refusal"}}});
      all["oneOf"] = JsonValue::array({result, {{"type", "array"}, {"items", {{"oneOf", rows}}}}});
    }
    if (!definitions_.empty()) {
      all["definitions"] = definitions_;
    }
    return all;
  }

 private:
  // Place of an object. A row has the key "schema", and a file also "made_by".
  enum class Place : std::uint8_t { within, row, file };

  // Adds a definition whose name must be free: no list of fields that is used twice may have it.
  void define(const std::string& name, JsonValue schema) {
    TUTTI_INVARIANT(!definitions_.contains(name));
    definitions_[name] = std::move(schema);
  }

  // Counts how often each list of fields is used. A list that is used twice is a definition.
  void count(const FieldView& fields) {
    for_each_field(fields, [&](const Field& field) {
      const FieldView nested = field.nested();
      if (nested.begin != nullptr && ++uses_[nested.begin] == 1) {
        count(nested);
      }
    });
  }

  JsonValue made_by_schema() {
    const JsonValue text{{"type", "string"}};
    const JsonValue input{{"type", "object"},
                          {"required", {"path", "xxh128"}},
                          {"additionalProperties", false},
                          {"properties", {{"path", text}, {"xxh128", text}}}};
    return {{"type", "object"},
            {"description",
             "How the file was made: program, command line, and the input files with their "
             "hashes. Absent in data on standard output."},
            {"required", {"program", "command", "inputs"}},
            {"additionalProperties", false},
            {"properties",
             {{"program", text},
              {"command", text},
              {"inputs", {{"type", "array"}, {"items", input}}}}}};
  }

  JsonValue object_schema(const FieldView& fields, Place place) {
    JsonValue required = JsonValue::array();
    JsonValue properties = JsonValue::object();
    JsonValue others = false;
    std::map<int, JsonValue> forms;
    if (place != Place::within) {
      required.push_back("schema");
      properties["schema"] = {{"const", type_.schema}};
    }
    for_each_field(fields, [&](const Field& field) {
      if (field.name == kOtherNames) {
        others = field_schema(field);
        return;
      }
      if (field.limits.form != 0) {
        forms.try_emplace(field.limits.form, JsonValue::array())
            .first->second.push_back(field.name);
      } else if (!may_be_absent(field)) {
        required.push_back(field.name);
      }
      properties[std::string(field.name)] = field_schema(field);
    });
    if (place == Place::file) {
      properties["made_by"] = made_by_schema();
    }
    JsonValue schema{{"type", "object"}};
    if (!fields.meaning.empty()) {
      schema["description"] = fields.meaning;
    }
    if (!required.empty()) {
      schema["required"] = std::move(required);
    }
    for (auto& [number, names] : forms) {
      schema["oneOf"].push_back({{"required", std::move(names)}});
    }
    schema["additionalProperties"] = std::move(others);
    schema["properties"] = std::move(properties);
    return schema;
  }

  JsonValue field_schema(const Field& field) {
    JsonValue schema = item_schema(field);
    const FieldLimits& limits = field.limits;
    if (field.shape.item_nullable) {
      allow_null(schema);
    }
    for (int depth = 0; depth < field.shape.lists; ++depth) {
      schema = {{"type", "array"}, {"items", std::move(schema)}};
      const bool outer = depth + 1 == field.shape.lists;
      const std::size_t count = depth == 0 ? field.shape.items : 0;
      const std::size_t fewest = outer && limits.fewest_items ? *limits.fewest_items : count;
      const std::size_t most = outer && limits.most_items ? *limits.most_items : count;
      if (fewest > 0) {
        schema["minItems"] = fewest;
      }
      if (most > 0) {
        schema["maxItems"] = most;
      }
    }
    if (limits.one_without_list) {
      schema["minItems"] = 2;
      JsonValue one = item_schema(field);
      allow_null(one);
      schema = {{"oneOf", JsonValue::array({std::move(one), std::move(schema)})}};
    }
    if (field.shape.map) {
      schema = {{"type", "object"}, {"additionalProperties", std::move(schema)}};
    }
    if ((field.shape.nullable && (!limits.absent || field.shape.optional)) || limits.nullable) {
      allow_null(schema);
    }
    if (!field.meaning.empty()) {
      schema["description"] = field.meaning;
    }
    return schema;
  }

  // The schema of the value or, for a list or a map, of its items.
  JsonValue item_schema(const Field& field) {
    const FieldLimits& limits = field.limits;
    if (const std::vector<std::string> words = words_of(limits);
        !words.empty() && field.shape.kind == Shape::Kind::text) {
      return {{"enum", words}};
    }
    switch (field.shape.kind) {
      case Shape::Kind::object:
        return nested_schema(field);
      case Shape::Kind::truth:
        return limits.only ? JsonValue{{"const", *limits.only}} : JsonValue{{"type", "boolean"}};
      case Shape::Kind::text: {
        JsonValue schema{{"type", "string"}};
        if (limits.not_empty) {
          schema["minLength"] = 1;
        }
        if (limits.longest) {
          schema["maxLength"] = *limits.longest;
        }
        if (!limits.pattern.empty()) {
          schema["pattern"] = limits.pattern;
        }
        return schema;
      }
      case Shape::Kind::null:
        return {{"type", "null"}};
      case Shape::Kind::integer:
      case Shape::Kind::number: {
        JsonValue schema{{"type", field.shape.kind == Shape::Kind::integer ? "integer" : "number"}};
        put_limits(schema, field);
        if (limits.or_zero) {
          schema = {{"anyOf", JsonValue::array({{{"const", 0}}, std::move(schema)})}};
        }
        return schema;
      }
      case Shape::Kind::number_or_word: {
        JsonValue number{{"type", "integer"}};
        put_limits(number, field);
        return {{"oneOf", JsonValue::array({number, {{"enum", words_of(limits)}}})}};
      }
    }
    return {};
  }

  JsonValue nested_schema(const Field& field) {
    const FieldView nested = field.nested();
    if (nested.begin == nullptr) {
      return {{"type", "object"}};
    }
    if (uses_[nested.begin] == 1) {
      return object_schema(nested, Place::within);
    }
    std::string& name = names_[nested.begin];
    if (name.empty()) {
      name = field.name;
      while (definitions_.contains(name)) {
        name += '_';
      }
      definitions_[name] = nullptr;  // the schema may refer to itself
      JsonValue schema = object_schema(nested, Place::within);
      definitions_[name] = std::move(schema);
    }
    return {{"$ref", fmt::format("#/definitions/{}", name)}};
  }

  const DocumentType& type_;
  std::map<const Field*, int> uses_;
  std::map<const Field*, std::string> names_;
  JsonValue definitions_ = JsonValue::object();
};

// Returns JSON as text with one member or item a line, except for what fits on a line.
std::string wrapped(const JsonValue& json, std::size_t indent, std::size_t before) {
  constexpr std::size_t kWidth = 110;
  const std::string margin(indent + 2, ' ');
  std::string flat = json_text(json);
  if (!json.is_structured() || json.empty() || indent + before + flat.size() <= kWidth) {
    return flat;
  }
  std::string text;
  for (const auto& [key, value] : json.items()) {
    const std::string name = json.is_object() ? json_text(JsonValue(key)) + ": " : "";
    text += fmt::format("{}\n{}{}{}", text.empty() ? "" : ",", margin, name,
                        wrapped(value, indent + 2, name.size()));
  }
  const std::string end = "\n" + std::string(indent, ' ');
  return json.is_object() ? "{" + text + end + "}" : "[" + text + end + "]";
}

// Type of a field for the page on documents, such as "list: number or null".
std::string type_in_words(const Field& field) {
  const FieldLimits& limits = field.limits;
  const std::vector<std::string> words = words_of(limits);
  const auto kind = field.shape.kind;
  std::string text = kind == Shape::Kind::object    ? "object"
                     : kind == Shape::Kind::truth   ? "true or false"
                     : kind == Shape::Kind::integer ? "integer"
                     : kind == Shape::Kind::number  ? "number"
                     : kind == Shape::Kind::null    ? "null"
                                                    : "text";
  if (kind == Shape::Kind::text && !words.empty()) {
    text = fmt::format("`{}`", fmt::join(words, "`, `"));
  } else if (kind == Shape::Kind::number_or_word) {
    text = fmt::format("integer or `{}`", fmt::join(words, "`, `"));
  }
  for (int depth = 0; depth < field.shape.lists; ++depth) {
    text = "list: " + text;
  }
  text = field.shape.map ? "by name: " + text : text;
  if ((field.shape.nullable && (!limits.absent || field.shape.optional)) || limits.nullable) {
    text += " or null";
  }
  return may_be_absent(field) ? text + "; may be absent" : text;
}

std::string table_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' ? "\\|" : c == '<' ? "&lt;" : c == '*' ? "\\*" : std::string(1, c);
  }
  return escaped;
}

void add_rows(const FieldView& fields, const std::string& prefix,
              std::map<const Field*, std::string>& shown, std::string& text) {
  for_each_field(fields, [&](const Field& field) {
    const std::string path = prefix + std::string(field.name);
    const FieldView nested = field.nested();
    const auto [known, is_new] = shown.try_emplace(nested.begin, path);
    std::string meaning(field.meaning.empty() ? nested.meaning : field.meaning);
    if (nested.begin != nullptr && !is_new) {
      meaning += fmt::format("{}Fields as in `{}`.", meaning.empty() ? "" : " ", known->second);
    }
    text += fmt::format("| `{}` | {} | {} |\n", path, table_cell(type_in_words(field)),
                        table_cell(meaning));
    if (nested.begin != nullptr && is_new) {
      add_rows(nested, path + ".", shown, text);
    }
  });
}

}  // namespace

std::string DocumentType::file() const {
  std::string name(schema);
  std::ranges::replace(name, '/', '-');
  return name;
}

JsonValue document_json(const DocumentType& type, const void* object) {
  JsonValue json{{"schema", type.schema}};
  put_object(json, type.fields, object);
  return json;
}

void write_document(const DocumentType& type, const void* object, int indent, std::ostream& out) {
  write_document(document_json(type, object), indent, out);
}

std::string schema_text(const DocumentType& type) {
  return wrapped(SchemaMaker(type).schema(), 0, 0) + "\n";
}

std::string document_section(const DocumentType& type) {
  std::string text = fmt::format("## {}\n\n{}.\n\n| field | type | meaning |\n|---|---|---|\n",
                                 type.file(), table_cell(type.title));
  std::map<const Field*, std::string> shown;
  add_rows(type.fields, "", shown, text);
  for (const DocumentForm& form : type.forms) {
    add_rows(form.fields, "", shown, text);
  }
  return text;
}

}}  // namespace tutti::formats
