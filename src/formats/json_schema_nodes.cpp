// The nodes of a schema's text.
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/formats/json_schema_node.hpp"

namespace tutti::inline formats {

namespace {

using Json = nlohmann::json;
using Node = JsonSchema::Node;

std::uint8_t type_named(const std::string& name) {
  for (std::size_t i = 0; i < kJsonTypes.size(); ++i) {
    if (kJsonTypes[i].first == name) {
      return static_cast<std::uint8_t>(1U << i);
    }
  }
  throw InvariantError("a schema names the type " + name);
}

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
        node.members.emplace(name, this->node(here + "/" + pointer_step(name)));
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

}  // namespace

std::string pointer_step(std::string_view key) {
  constexpr std::size_t kMost = 60;
  std::string text;
  for (const char c : key.substr(0, kMost)) {
    text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return printable(text) + (key.size() > kMost ? "..." : "");
}

const Node* make_schema_nodes(const Json& text, const std::string& at, std::deque<Node>& nodes) {
  return Compiler(text, nodes).node(at);
}

}  // namespace tutti::inline formats
