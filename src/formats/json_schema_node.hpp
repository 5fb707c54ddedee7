// A schema as it is checked: nodes that point to each other, made of its text.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/json_schema.hpp"

namespace tutti::inline formats {

// A bit each.
enum JsonType : std::uint8_t {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kNumber = 8,
  kString = 16,
  kArray = 32,
  kObject = 64
};
// What schemas call them, and what messages do.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kJsonTypes{{
    {"null", "null"},
    {"boolean", "true or false"},
    {"integer", "an integer"},
    {"number", "a number"},
    {"string", "a text"},
    {"array", "a list"},
    {"object", "an object"},
}};

// One schema, as it is checked.
struct JsonSchema::Node {
  unsigned types = 0;  // of JsonType; 0: any
  std::optional<nlohmann::json> constant;
  std::vector<nlohmann::json> values;  // of "enum"
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

// Adds the node of `text` at a pointer, and all that it refers to, to `nodes`.
const JsonSchema::Node* make_schema_nodes(const nlohmann::json& text, const std::string& at,
                                          std::deque<JsonSchema::Node>& nodes);

// The first thing that is wrong with a value.
[[nodiscard]] std::optional<SchemaFault> fault_of(const JsonSchema::Node& node,
                                                  const nlohmann::json& value);

// A member's name as a step of a pointer, cut where it is long.
[[nodiscard]] std::string pointer_step(std::string_view key);

}  // namespace tutti::inline formats
