#include "src/formats/json_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"

namespace tutti { inline namespace formats {

namespace {

using Json = nlohmann::json;

// Names of types in schemas, and in messages.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTypes{{
    {"null", "null"},
    {"boolean", "true or false"},
    {"integer", "an integer"},
    {"number", "a number"},
    {"string", "a string"},
    {"array", "a list"},
    {"object", "an object"},
}};
constexpr std::array<std::string_view, 22> kKeywords{"$ref",
                                                     "$schema",
                                                     "additionalProperties",
                                                     "anyOf",
                                                     "const",
                                                     "definitions",
                                                     "enum",
                                                     "exclusiveMinimum",
                                                     "items",
                                                     "maxItems",
                                                     "maxLength",
                                                     "maximum",
                                                     "minItems",
                                                     "minLength",
                                                     "minimum",
                                                     "oneOf",
                                                     "pattern",
                                                     "properties",
                                                     "required",
                                                     "title",
                                                     "description",
                                                     "type"};

// Returns the value of a keyword; null if the schema does not have the keyword.
const Json* find(const Json& schema, const std::string& keyword) {
  const auto found = schema.is_object() ? schema.find(keyword) : schema.end();
  return schema.is_object() && found != schema.end() ? &*found : nullptr;
}
template <typename Value>
Value value_or(const Json& schema, const char* keyword, Value otherwise) {
  const Json* const found = find(schema, keyword);
  return found == nullptr ? otherwise : found->get<Value>();
}
const Json& list_of(const Json& schema, const char* keyword) {
  static const Json nothing = Json::array();
  const Json* const found = find(schema, keyword);
  return found == nullptr ? nothing : *found;
}

// 3 and 3.0 are both an integer and a number. A floating-point number above 2^53 is not an integer,
// because a double cannot hold all its digits.
bool is_of_type(const Json& value, std::string_view type) {
  constexpr double kExact = 9007199254740992;
  if (type == "integer" && value.is_number_float()) {
    return std::trunc(value.get<double>()) == value.get<double>() &&
           std::abs(value.get<double>()) <= kExact;
  }
  return type == "null"      ? value.is_null()
         : type == "boolean" ? value.is_boolean()
         : type == "integer" ? value.is_number_integer()
         : type == "number"  ? value.is_number()
         : type == "string"  ? value.is_string()
         : type == "array"   ? value.is_array()
                             : value.is_object();
}

// True if `types`, which is a type or a list of types, includes `type`.
bool names_type(const Json& types, std::string_view type) {
  return types == type ||
         (types.is_array() && std::find(types.begin(), types.end(), type) != types.end());
}
bool is_of_types(const Json& value, const Json& types) {
  return std::ranges::any_of(kTypes, [&](const auto& type) {
    return names_type(types, type.first) && is_of_type(value, type.first);
  });
}

// Returns a value as text for messages: a scalar as in JSON, truncated if it is long; otherwise "a
// list" or "an object".
std::string shown(const Json& value) {
  constexpr std::size_t kMost = 60;
  if (value.is_structured()) {
    return value.is_array() ? "a list" : "an object";
  }
  std::string text = json_text(value);
  if (text.size() > kMost) {
    text = fmt::format("{}... ({} characters)", text.substr(0, kMost), text.size());
  }
  return printable(text);
}

std::string number_text(const Json& json) {
  const auto number = json.get<double>();
  return std::trunc(number) == number && std::abs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                 : fmt::format("{}", number);
}

// Escapes a key as a step of a JSON pointer, truncated if it is long.
std::string pointer_step(std::string_view key) {
  constexpr std::size_t kMost = 60;
  std::string text;
  for (const char c : key.substr(0, kMost)) {
    text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return printable(text) + (key.size() > kMost ? "..." : "");
}

// Faults of the value at the JSON pointer `at`, relative to one form of the schema. `distance`
// measures how far the value is from this form.
struct Faults {
  std::string at;
  std::size_t distance = 0;
  std::optional<SchemaFault> first = std::nullopt;

  void add(const std::string& pointer, std::string text, bool quite_another = false) {
    // If the value itself has the wrong type (`quite_another`), such as a list in place of an
    // object, the user did not mean this form. A wrong type further down counts as a single fault.
    constexpr std::size_t kNotMeant = 1000;
    distance += quite_another && pointer == at ? kNotMeant : 1;
    if (!first) {
      first = SchemaFault{pointer, std::move(text)};
    }
  }
  void add(Faults&& more) {
    ++distance;
    if (!first) {
      first = std::move(more.first);
    }
  }
};

}  // namespace

struct JsonSchema::Pattern {
  std::regex regex;
};

class JsonSchema::Checker {
 public:
  explicit Checker(const JsonSchema& schema) : schema_(schema) {}

  void check(const Json& given, const Json& value, const std::string& pointer,
             Faults& faults) const {
    const Json& schema = resolved(given);
    const auto refuse = [&](bool quite_another) {
      faults.add(pointer, fmt::format("is {}; expected {}", shown(value), accepted(schema)),
                 quite_another);
    };
    if (const Json* const types = find(schema, "type"); types && !is_of_types(value, *types)) {
      refuse(true);
      return;
    }
    if (!fits_itself(schema, value)) {
      refuse(false);
      return;
    }
    if (value.is_array()) {
      check_items(schema, value, pointer, faults);
    } else if (value.is_object()) {
      check_members(schema, value, pointer, faults);
    }
    check_forms("oneOf", schema, value, pointer, faults);
    check_forms("anyOf", schema, value, pointer, faults);
  }

 private:
  // Follows a reference. Other keywords beside "$ref" are ignored.
  [[nodiscard]] const Json& resolved(const Json& schema) const {
    const Json* const reference = find(schema, "$ref");
    return reference == nullptr
               ? schema
               : resolved(*schema_.references_.at(reference->get_ref<const std::string&>()));
  }

  // Returns the accepted values in words.
  [[nodiscard]] std::string accepted(const Json& given) const {
    const Json& schema = resolved(given);
    if (const Json* const constant = find(schema, "const")) {
      return shown(*constant);
    }
    std::vector<std::string> parts;
    for (const Json& value : list_of(schema, "enum")) {
      parts.push_back(shown(value));
    }
    for (const char* forms : {"oneOf", "anyOf"}) {
      for (const Json& form : list_of(schema, forms)) {
        const std::string text = accepted(form);
        if (!text.empty() && std::ranges::find(parts, text) == parts.end()) {
          parts.push_back(text);
        }
      }
    }
    if (!parts.empty()) {
      return alternatives(parts);
    }
    if (const Json* const types = find(schema, "type")) {
      for (const auto& [type, words] : kTypes) {
        if (names_type(*types, type)) {
          parts.emplace_back(words);
        }
      }
    }
    const Json* const above = find(schema, "exclusiveMinimum");
    const Json* const least = find(schema, "minimum");
    const Json* const most = find(schema, "maximum");
    std::string text = parts.empty() && (above || least || most) ? "a number" : alternatives(parts);
    if (above != nullptr) {
      text += " above " + number_text(*above);
    } else if (least != nullptr) {
      text += " from " + number_text(*least);
    }
    if (most != nullptr) {
      text += " up to " + number_text(*most);
    }
    if (const Json* const pattern = find(schema, "pattern")) {
      text += " like " + pattern->get<std::string>();
    } else if (const Json* const longest = find(schema, "maxLength")) {
      text += fmt::format(" of at most {} characters", longest->get<std::size_t>());
    }
    return text;
  }

  [[nodiscard]] bool fits_itself(const Json& schema, const Json& value) const {
    const Json* const constant = find(schema, "const");
    const Json* const values = find(schema, "enum");
    if ((constant != nullptr && value != *constant) ||
        (values != nullptr && std::ranges::find(*values, value) == values->end())) {
      return false;
    }
    if (value.is_number()) {
      const auto number = value.get<double>();
      return number >= value_or(schema, "minimum", number) &&
             number <= value_or(schema, "maximum", number) &&
             !(number <= value_or(schema, "exclusiveMinimum", std::nan("")));
    }
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      const std::size_t size = display_width(text);
      const Json* const pattern = find(schema, "pattern");
      return size >= value_or(schema, "minLength", size) &&
             size <= value_or(schema, "maxLength", size) &&
             (pattern == nullptr ||
              std::regex_search(
                  text, schema_.patterns_.at(pattern->get_ref<const std::string&>())->regex));
    }
    return true;
  }

  void check_items(const Json& schema, const Json& value, const std::string& pointer,
                   Faults& faults) const {
    const auto fewest = value_or<std::size_t>(schema, "minItems", 0);
    const auto most = value_or(schema, "maxItems", value.size());
    if (value.size() < fewest) {
      faults.add(pointer, fmt::format("has {} items; expected at least {}", value.size(), fewest));
    } else if (value.size() > most) {
      faults.add(pointer, fmt::format("has {} items; expected at most {}", value.size(), most));
    }
    if (const Json* const items = find(schema, "items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        check(*items, value[i], fmt::format("{}/{}", pointer, i), faults);
      }
    }
  }

  void check_members(const Json& schema, const Json& value, const std::string& pointer,
                     Faults& faults) const {
    for (const Json& name : list_of(schema, "required")) {
      if (!value.contains(name.get_ref<const std::string&>())) {
        faults.add(pointer, fmt::format("lacks {}", name.dump()));
      }
    }
    const Json* const members = find(schema, "properties");
    const Json* const others = find(schema, "additionalProperties");
    for (const auto& [key, member] : value.items()) {
      const Json* const known = members == nullptr ? nullptr : find(*members, key);
      const Json* const expected = known != nullptr ? known : others;
      if (expected == nullptr || *expected == true) {
        continue;
      }
      const std::string here = pointer + "/" + pointer_step(key);
      if (*expected != false) {
        check(*expected, member, here, faults);
        continue;
      }
      std::vector<std::string> names;
      if (members != nullptr) {
        for (const auto& each : members->items()) {
          names.push_back(each.key());
        }
      }
      const std::string near = key.size() > 100 ? "" : nearest(key, names);
      faults.add(here,
                 fmt::format("is not a known key{}",
                             near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    }
  }

  void check_forms(const char* keyword, const Json& schema, const Json& value,
                   const std::string& pointer, Faults& faults) const {
    std::optional<Faults> nearest;
    std::size_t fitting = 0;
    for (const Json& form : list_of(schema, keyword)) {
      Faults own{pointer};
      check(form, value, pointer, own);
      fitting += own.first ? 0 : 1;
      if (!nearest || own.distance < nearest->distance) {
        nearest = std::move(own);
      }
    }
    if (!nearest || (fitting > 0 && (fitting == 1 || keyword == std::string_view("anyOf")))) {
      return;
    }
    if (fitting > 1) {
      faults.add(pointer,
                 "mixes keys from different forms of this object; use the keys of one form");
    } else if (nearest->first->pointer == pointer && !value.is_structured()) {
      faults.add(pointer, fmt::format("is {}; expected {}", shown(value), accepted(schema)));
    } else {
      faults.add(std::move(*nearest));
    }
  }

  const JsonSchema& schema_;
};

JsonSchema::JsonSchema(std::string_view text, const std::string& at)
    : text_(Json::parse(text)), root_(&text_.at(Json::json_pointer(at))) {
  prepare(*root_);
}

// Looks up the schema's references and compiles its patterns. Throws InvariantError for a keyword
// that is not supported.
void JsonSchema::prepare(const Json& schema) {
  // Maximum length of a string that is matched with a pattern, because std::regex recurses for each
  // character.
  constexpr std::size_t kLongestMatched = 256;
  if (!schema.is_object()) {
    return;  // the schema is true or false
  }
  for (const auto& [keyword, value] : schema.items()) {
    if (std::ranges::find(kKeywords, keyword) == kKeywords.end()) {
      throw InvariantError(fmt::format("unknown keyword '{}' in a schema", keyword));
    }
    if (keyword == "$ref") {
      const auto& target = value.get_ref<const std::string&>();
      TUTTI_INVARIANT(target.starts_with('#'));
      const auto [at, is_new] =
          references_.try_emplace(target, &text_.at(Json::json_pointer(target.substr(1))));
      if (is_new) {
        prepare(*at->second);
      }
    } else if (keyword == "pattern") {
      TUTTI_INVARIANT(value_or(schema, "maxLength", kLongestMatched + 1) <= kLongestMatched);
      const auto& pattern = value.get_ref<const std::string&>();
      patterns_[pattern] = std::make_shared<Pattern>(std::regex(pattern));
    } else if (keyword == "items" || keyword == "additionalProperties") {
      prepare(value);
    } else if (keyword == "properties" || keyword == "oneOf" || keyword == "anyOf") {
      for (const Json& each : value) {
        prepare(each);
      }
    }
  }
}

std::optional<SchemaFault> JsonSchema::fault_in(const Json& value) const {
  Faults faults{""};
  Checker(*this).check(*root_, value, "", faults);
  return std::move(faults.first);
}

std::string SchemaFault::sentence() const {
  return fmt::format("{} {}", pointer.empty() ? "the whole value" : pointer, text);
}

const JsonSchema& json_schema(std::string_view name, const std::string& at) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<JsonSchema>> known;
  const std::lock_guard lock(mutex);
  auto& schema = known[{std::string(name), at}];
  if (!schema) {
    const std::string_view text = json_schema_text(std::string(name) + ".schema.json");
    if (text.empty()) {
      throw InvariantError(fmt::format("there is no schema named {}", name));
    }
    schema = std::make_unique<JsonSchema>(text, at);
  }
  return *schema;
}

void check_against_schema(const Json& value, std::string_view name) {
  if (const auto fault = json_schema(name).fault_in(value)) {
    throw UserError(fault->sentence());
  }
}

std::string text_of_json_file(std::string_view what, const std::string& path,
                              const InputKind& kind) {
  try {
    return read_file(path, kind);
  } catch (const UserError& error) {
    throw UserError(std::string(what) + error.what());
  }
}

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // error.what() is "[json.exception.parse_error.101] parse error at line 1, column 1: ..."
    const std::string_view all = error.what();
    const std::size_t begin = all.find("] ");
    const FileContent content = content_of(text);
    if (content != FileContent::unknown && content != FileContent::json) {
      throw UserError(fmt::format("{}, not JSON", in_words(content)));
    }
    throw UserError(fmt::format("not valid JSON: {}",
                                printable(begin == all.npos ? all : all.substr(begin + 2))));
  }
}

}}  // namespace tutti::formats
