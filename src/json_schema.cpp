#include "src/json_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "files/file_text.hpp"
#include "files/printable.hpp"
#include "schedules/registry.hpp"

namespace tutti {

namespace {

using Json = nlohmann::json;

// A bit each.
enum Type : std::uint8_t {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kNumber = 8,
  kString = 16,
  kArray = 32,
  kObject = 64
};
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTypes{{
    {"null", "null"},
    {"boolean", "true or false"},
    {"integer", "an integer"},
    {"number", "a number"},
    {"string", "a text"},
    {"array", "a list"},
    {"object", "an object"},
}};

std::uint8_t type_named(const std::string& name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].first == name) {
      return static_cast<std::uint8_t>(1U << i);
    }
  }
  throw InvariantError("a schema names the type " + name);
}

// All the types that the value is of: 3 is an integer and a number, and so is 3.0; but not what a
// double no longer holds to the last digit.
unsigned types_of(const Json& value) {
  constexpr double kExact = 9007199254740992;
  switch (value.type()) {
    case Json::value_t::null:
      return kNull;
    case Json::value_t::boolean:
      return kBoolean;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return kInteger | kNumber;
    case Json::value_t::number_float:
      return std::trunc(value.get<double>()) == value.get<double>() &&
                     std::abs(value.get<double>()) <= kExact
                 ? kInteger | kNumber
                 : kNumber;
    case Json::value_t::string:
      return kString;
    case Json::value_t::array:
      return kArray;
    case Json::value_t::object:
      return kObject;
    default:
      return 0;
  }
}

// Of scalars what stands in the text, cut where it is long; of the rest what they are.
std::string shown(const Json& value) {
  constexpr std::size_t kMost = 60;
  if (value.is_structured()) {
    return value.is_array() ? "a list" : "an object";
  }
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMost) {
    text = fmt::format("{}... ({} characters)", text.substr(0, kMost), text.size());
  }
  return printable(text);
}

// A step of a pointer.
std::string escaped(std::string_view key) {
  constexpr std::size_t kMost = 60;
  std::string text;
  for (const char c : key.substr(0, kMost)) {
    text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return printable(text) + (key.size() > kMost ? "..." : "");
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  }
  return text;
}

std::string number_text(double number) {
  return std::trunc(number) == number && std::abs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                 : fmt::format("{}", number);
}

}  // namespace

// One schema, as it is checked.
struct JsonSchema::Node {
  unsigned types = 0;  // 0: any
  std::optional<Json> constant;
  std::vector<Json> values;  // of "enum"
  std::optional<double> minimum;
  std::optional<double> above;
  std::optional<double> maximum;
  std::size_t shortest = 0;
  std::optional<std::size_t> longest;
  std::optional<std::regex> pattern;
  std::string pattern_text;
  std::size_t fewest = 0;  // items
  std::optional<std::size_t> most;
  const Node* items = nullptr;
  std::vector<std::string> required;
  std::map<std::string, const Node*, std::less<>> members;
  bool others_allowed = true;
  const Node* others = nullptr;
  std::vector<const Node*> one_of;
  std::vector<const Node*> any_of;
  const Node* same_as = nullptr;  // "$ref"
};

JsonSchema::~JsonSchema() = default;

namespace {

using Node = JsonSchema::Node;

// Makes nodes of a schema's text.
class Compiler {
 public:
  Compiler(const Json& text, std::deque<Node>& nodes) : text_(text), nodes_(nodes) {}

  const Node* node(const std::string& pointer) {
    const auto known = made_.find(pointer);
    if (known != made_.end()) {
      return known->second;
    }
    Node& node = nodes_.emplace_back();
    made_.emplace(pointer, &node);
    for (const auto& [keyword, value] : text_.at(Json::json_pointer(pointer)).items()) {
      read(node, keyword, value, pointer + "/" + keyword);
    }
    // Its matching calls itself for each character.
    TUTTI_INVARIANT(!node.pattern || (node.longest && *node.longest <= kLongestMatched));
    return &node;
  }

 private:
  static constexpr std::size_t kLongestMatched = 256;

  void read(Node& node, const std::string& keyword, const Json& value, const std::string& here) {
    if (keyword == "type") {
      for (const Json& name : value.is_array() ? value : Json::array({value})) {
        node.types |= type_named(name.get<std::string>());
      }
    } else if (keyword == "const") {
      node.constant = value;
    } else if (keyword == "enum") {
      node.values = value.get<std::vector<Json>>();
    } else if (keyword == "minimum") {
      node.minimum = value.get<double>();
    } else if (keyword == "exclusiveMinimum") {
      node.above = value.get<double>();
    } else if (keyword == "maximum") {
      node.maximum = value.get<double>();
    } else if (keyword == "minLength") {
      node.shortest = value.get<std::size_t>();
    } else if (keyword == "maxLength") {
      node.longest = value.get<std::size_t>();
    } else if (keyword == "pattern") {
      node.pattern_text = value.get<std::string>();
      node.pattern.emplace(node.pattern_text);
    } else if (keyword == "minItems") {
      node.fewest = value.get<std::size_t>();
    } else if (keyword == "maxItems") {
      node.most = value.get<std::size_t>();
    } else if (keyword == "items") {
      node.items = this->node(here);
    } else if (keyword == "required") {
      node.required = value.get<std::vector<std::string>>();
    } else if (keyword == "properties") {
      for (const auto& [name, member] : value.items()) {
        node.members.emplace(name, this->node(here + "/" + escaped(name)));
      }
    } else if (keyword == "additionalProperties") {
      node.others_allowed = value != false;
      node.others = value.is_object() ? this->node(here) : nullptr;
    } else if (keyword == "oneOf" || keyword == "anyOf") {
      for (std::size_t i = 0; i < value.size(); ++i) {
        (keyword == "oneOf" ? node.one_of : node.any_of)
            .push_back(this->node(fmt::format("{}/{}", here, i)));
      }
    } else if (keyword == "$ref") {
      const auto target = value.get<std::string>();
      TUTTI_INVARIANT(target.starts_with('#'));
      node.same_as = this->node(target.substr(1));
    } else if (keyword != "$schema" && keyword != "title" && keyword != "description" &&
               keyword != "definitions") {
      throw InvariantError(fmt::format("the keyword '{}' of a schema is not known", keyword));
    }
  }

  const Json& text_;
  std::deque<Node>& nodes_;
  std::map<std::string, const Node*> made_;  // by pointer
};

// What would do, in words.
std::string accepted(const Node& node) {
  if (node.same_as != nullptr) {
    return accepted(*node.same_as);
  }
  if (node.constant) {
    return shown(*node.constant);
  }
  std::vector<std::string> parts;
  for (const Json& value : node.values) {
    parts.push_back(shown(value));
  }
  for (const auto* forms : {&node.one_of, &node.any_of}) {
    for (const Node* form : *forms) {
      const std::string text = accepted(*form);
      if (!text.empty() && std::find(parts.begin(), parts.end(), text) == parts.end()) {
        parts.push_back(text);
      }
    }
  }
  if (!parts.empty()) {
    return joined(parts);
  }
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if ((node.types & (1U << i)) != 0) {
      parts.emplace_back(kTypes[i].second);
    }
  }
  std::string text =
      parts.empty() && (node.minimum || node.above || node.maximum) ? "a number" : joined(parts);
  if (node.above) {
    text += fmt::format(" above {}", number_text(*node.above));
  } else if (node.minimum) {
    text += fmt::format(" from {}", number_text(*node.minimum));
  }
  if (node.maximum) {
    text += fmt::format(" up to {}", number_text(*node.maximum));
  }
  if (node.pattern) {
    text += fmt::format(" like {}", node.pattern_text);
  } else if (node.longest) {
    text += fmt::format(" of up to {} characters", *node.longest);
  }
  return text;
}

// Of a form, and a value at some place: how far they are from each other.
struct Faults {
  std::string at;
  std::size_t distance = 0;
  std::optional<SchemaFault> first = std::nullopt;

  void add(const std::string& pointer, std::string text, bool quite_another = false) {
    // A list where an object is wanted: that form was not meant. Further down it is one fault.
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

void check(const Node& node, const Json& value, const std::string& pointer, Faults& faults);

void check_forms(const std::vector<const Node*>& forms, bool only_one, const Node& node,
                 const Json& value, const std::string& pointer, Faults& faults) {
  if (forms.empty()) {
    return;
  }
  std::optional<Faults> nearest;
  std::size_t fitting = 0;
  for (const Node* form : forms) {
    Faults own{pointer};
    check(*form, value, pointer, own);
    fitting += own.first ? 0 : 1;
    if (!nearest || own.distance < nearest->distance) {
      nearest = std::move(own);
    }
  }
  if (fitting > 1 && only_one) {
    faults.add(pointer, "has what belongs to different forms; accepted is one of them");
  } else if (fitting == 0) {
    if (nearest->first->pointer == pointer && !value.is_structured()) {
      faults.add(pointer, fmt::format("is {}; accepted is {}", shown(value), accepted(node)));
    } else {
      faults.add(std::move(*nearest));
    }
  }
}

void check_members(const Node& node, const Json& value, const std::string& pointer,
                   Faults& faults) {
  for (const std::string& name : node.required) {
    if (!value.contains(name)) {
      faults.add(pointer, fmt::format("lacks \"{}\"", name));
    }
  }
  for (const auto& [key, member] : value.items()) {
    const auto known = node.members.find(key);
    const Node* const expected = known != node.members.end() ? known->second : node.others;
    if (expected != nullptr) {
      check(*expected, member, pointer + "/" + escaped(key), faults);
    } else if (!node.others_allowed) {
      std::vector<std::string> names;
      for (const auto& each : node.members) {
        names.push_back(each.first);
      }
      const std::string near = key.size() > 100 ? "" : nearest(key, names);
      faults.add(pointer + "/" + escaped(key),
                 fmt::format("means nothing here{}",
                             near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    }
  }
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

bool fits_itself(const Node& node, const Json& value) {
  if ((node.constant && value != *node.constant) ||
      (!node.values.empty() &&
       std::find(node.values.begin(), node.values.end(), value) == node.values.end())) {
    return false;
  }
  if (value.is_number()) {
    const auto number = value.get<double>();
    return !(node.minimum && number < *node.minimum) && !(node.above && number <= *node.above) &&
           !(node.maximum && number > *node.maximum);
  }
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const std::size_t size = characters(text);
    return size >= node.shortest && !(node.longest && size > *node.longest) &&
           !(node.pattern && !std::regex_search(text, *node.pattern));
  }
  return true;
}

void check(const Node& node, const Json& value, const std::string& pointer, Faults& faults) {
  if (node.same_as != nullptr) {  // beside which nothing else counts
    check(*node.same_as, value, pointer, faults);
    return;
  }
  const auto refuse = [&](bool quite_another) {
    faults.add(pointer, fmt::format("is {}; accepted is {}", shown(value), accepted(node)),
               quite_another);
  };
  if (node.types != 0 && (node.types & types_of(value)) == 0) {
    refuse(true);
    return;
  }
  if (!fits_itself(node, value)) {
    refuse(false);
    return;
  }
  if (value.is_array()) {
    if (value.size() < node.fewest || (node.most && value.size() > *node.most)) {
      faults.add(
          pointer,
          value.size() < node.fewest
              ? fmt::format("has {} items; accepted are {} or more", value.size(), node.fewest)
              : fmt::format("has {} items; accepted are up to {}", value.size(), *node.most));
    }
    for (std::size_t i = 0; node.items != nullptr && i < value.size(); ++i) {
      check(*node.items, value[i], fmt::format("{}/{}", pointer, i), faults);
    }
  } else if (value.is_object()) {
    check_members(node, value, pointer, faults);
  }
  check_forms(node.one_of, true, node, value, pointer, faults);
  check_forms(node.any_of, false, node, value, pointer, faults);
}

}  // namespace

std::string SchemaFault::sentence() const {
  return fmt::format("{} {}", pointer.empty() ? "the whole" : pointer, text);
}

JsonSchema::JsonSchema(std::string_view text, const std::string& at) {
  const Json json = Json::parse(text);
  root_ = Compiler(json, nodes_).node(at);
}

std::optional<SchemaFault> JsonSchema::fault_in(const Json& value) const {
  Faults faults{""};
  check(*root_, value, "", faults);
  return std::move(faults.first);
}

const JsonSchema& json_schema(std::string_view name, const std::string& at) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<JsonSchema>> known;
  const std::lock_guard lock(mutex);
  auto& schema = known[{std::string(name), at}];
  if (!schema) {
    const std::string_view text = json_schema_text(name);
    if (text.empty()) {
      throw InvariantError(fmt::format("no schema of the name {}", name));
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
    // "[json.exception.parse_error.101] parse error at line 1, column 1: ..."
    const std::string_view all = error.what();
    const std::size_t begin = all.find("] ");
    throw UserError(
        fmt::format("no JSON: {}", printable(begin == all.npos ? all : all.substr(begin + 2))));
  }
}

}  // namespace tutti
