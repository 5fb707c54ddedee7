#include "src/rule_files/decision_json.hpp"

#include <cstdint>
#include <variant>
#include <vector>

#include "schedules/options/option_type.hpp"
#include "src/formats/option_json.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using Json = nlohmann::ordered_json;

Json rule_json(const Rule& rule) {
  Json json = Json::object();
  if (rule.ranks_from) {
    json["ranks_from"] = *rule.ranks_from;
  }
  if (rule.ranks_below) {
    json["ranks_below"] = *rule.ranks_below;
  }
  if (rule.ranks_power_of_two) {
    json["ranks"] = "power_of_two";
  }
  if (rule.nodes) {
    json["nodes"] = *rule.nodes;
  }
  if (rule.bytes_from) {
    json["bytes_from"] = *rule.bytes_from;
  }
  if (rule.bytes_below) {
    json["bytes_below"] = *rule.bytes_below;
  }
  if (rule.elements_below != ElementsBelow::any) {
    json["elements_below"] = rule.elements_below == ElementsBelow::ranks ? "ranks" : "power_of_two";
  }
  if (rule.choice) {
    json.update(choice_json(*rule.choice));
    if (!rule.why.empty()) {
      json["why"] = rule.why;
    }
    return json;
  }
  json["then"] = Json::array();
  for (const Rule& inner : rule.then) {
    json["then"].push_back(rule_json(inner));
  }
  return json;
}

}  // namespace

namespace {

constexpr auto kChoice = fields<Choice>({
    {"algorithm", member<&Choice::algorithm>, absent_if_empty},
    {"library_algorithm", member<&Choice::library_algorithm>, absent_if_empty},
    {"protocol", member<&Choice::protocol>, absent_if_empty,
     "NCCL's protocol. Only in rules of NCCL and RCCL."},
    {"nccl_channels",
     [](const Choice& choice) { return value_if(choice.channels > 0, choice.channels); },
     absent | at_least(1),
     "Number of channels in rules of NCCL and RCCL. Absent if the library chooses it."},
    {"segment_bytes",
     [](const Choice& choice) { return value_if(choice.segment_bytes > 0, choice.segment_bytes); },
     absent | at_least(1)},
    {"default_segments",
     [](const Choice& choice) { return value_if(choice.default_segments, true); },
     absent | only_true,
     "The algorithm cuts the vector as it does without --segment; segment_bytes is then left "
     "out."},
});

bool put_choice_option(Json& out, const void* object, const Field& field) {
  const auto& options = static_cast<const Choice*>(object)->options;
  const auto& type = *static_cast<const OptionType*>(field.data);
  if (options.has(type.option)) {
    out = option_json(type, options.values());
  }
  return true;
}

}  // namespace

FieldView choice_fields() {
  static const std::vector<Field> list = [] {
    std::vector<Field> all(kChoice.list.begin(), kChoice.list.end());
    for (const OptionType* type : choice_options()) {
      const bool number = std::holds_alternative<std::uint64_t>(type->value(Problem()));
      // Skips can be numbers, too.
      const auto words =
          type->option == Option::skips ? std::span<const std::string_view>() : type->words;
      all.push_back({type->json_key,
                     {},
                     {.kind = number ? Shape::Kind::integer : Shape::Kind::text},
                     absent | (number ? at_least(1) : one_of(words)),
                     put_choice_option,
                     {},
                     nullptr,
                     type});
    }
    return all;
  }();
  return {list.data(), list.size(), {}};
}

Json choice_json(const Choice& choice) {
  Json json;
  put_object(json, choice_fields(), &choice);
  return json;
}

Json table_json(const DecisionTable& table) {
  Json json;
  json["schema"] = "tutti-decisions/1";
  json["collective"] = name(table.collective);
  json["name"] = table.name;
  json["source"] = table.source;
  json["bytes"] = table.measure == SizeMeasure::vector ? "vector" : "block";
  json["rules"] = Json::array();
  for (const Rule& rule : table.rules) {
    json["rules"].push_back(rule_json(rule));
  }
  if (!table.substitutes.empty()) {
    json["substitutes"] = Json::object();
    for (const Substitute& each : table.substitutes) {
      json["substitutes"][each.algorithm] = choice_json(each.instead);
    }
  }
  return json;
}

}}  // namespace tutti::rule_files
