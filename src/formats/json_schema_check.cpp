// A value held against the nodes of a schema, and what is wrong with it in words for users.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "src/formats/json_schema_node.hpp"

namespace tutti::inline formats {

namespace {

using PlainJson = nlohmann::json;
using Node = JsonSchema::Node;

// All the types that the value is of: 3 is an integer and a number, and so is 3.0; but not what a
// double no longer holds to the last digit.
unsigned types_of(const PlainJson& value) {
  constexpr double kExact = 9007199254740992;
  switch (value.type()) {
    case PlainJson::value_t::null:
      return kNull;
    case PlainJson::value_t::boolean:
      return kBoolean;
    case PlainJson::value_t::number_integer:
    case PlainJson::value_t::number_unsigned:
      return kInteger | kNumber;
    case PlainJson::value_t::number_float:
      return std::trunc(value.get<double>()) == value.get<double>() &&
                     std::abs(value.get<double>()) <= kExact
                 ? kInteger | kNumber
                 : kNumber;
    case PlainJson::value_t::string:
      return kString;
    case PlainJson::value_t::array:
      return kArray;
    case PlainJson::value_t::object:
      return kObject;
    default:
      return 0;
  }
}

// Scalars are shown as they stand in the text, cut where it is long; the rest by what they are.
std::string shown(const PlainJson& value) {
  constexpr std::size_t kMost = 60;
  if (value.is_structured()) {
    return value.is_array() ? "a list" : "an object";
  }
  std::string text = value.dump(-1, ' ', false, PlainJson::error_handler_t::replace);
  if (text.size() > kMost) {
    text = fmt::format("{}... ({} characters)", text.substr(0, kMost), text.size());
  }
  return printable(text);
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

// What would do, in words.
std::string accepted(const Node& node) {
  if (node.same_as != nullptr) {
    return accepted(*node.same_as);
  }
  if (node.constant) {
    return shown(*node.constant);
  }
  std::vector<std::string> parts;
  for (const PlainJson& value : node.values) {
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
  for (std::size_t i = 0; i < kJsonTypes.size(); ++i) {
    if ((node.types & (1U << i)) != 0) {
      parts.emplace_back(kJsonTypes[i].second);
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

// How far a form is from a value at some place.
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

void check(const Node& node, const PlainJson& value, const std::string& pointer, Faults& faults);

void check_forms(const std::vector<const Node*>& forms, bool only_one, const Node& node,
                 const PlainJson& value, const std::string& pointer, Faults& faults) {
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

void check_members(const Node& node, const PlainJson& value, const std::string& pointer,
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
      check(*expected, member, pointer + "/" + pointer_step(key), faults);
    } else if (!node.others_allowed) {
      std::vector<std::string> names;
      for (const auto& each : node.members) {
        names.push_back(each.first);
      }
      const std::string near = key.size() > 100 ? "" : nearest(key, names);
      faults.add(pointer + "/" + pointer_step(key),
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

bool fits_itself(const Node& node, const PlainJson& value) {
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

void check(const Node& node, const PlainJson& value, const std::string& pointer, Faults& faults) {
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

std::optional<SchemaFault> fault_of(const Node& node, const PlainJson& value) {
  Faults faults{""};
  check(node, value, "", faults);
  return std::move(faults.first);
}

}  // namespace tutti::inline formats
