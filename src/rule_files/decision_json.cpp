#include "src/rule_files/decision_json.hpp"

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

Json choice_json(const Choice& choice) {
  Json json = Json::object();
  const auto put = [&json](const char* key, const std::string& value) {
    if (!value.empty()) {
      json[key] = value;
    }
  };
  put("algorithm", choice.algorithm);
  put("library_algorithm", choice.library_algorithm);
  put("protocol", choice.protocol);
  if (choice.channels > 0) {
    json["nccl_channels"] = choice.channels;
  }
  if (choice.segment_bytes > 0) {
    json["segment_bytes"] = choice.segment_bytes;
  }
  if (choice.default_segments) {
    json["default_segments"] = true;
  }
  for (const OptionType* type : choice_options()) {
    if (choice.options.has(type->option)) {
      json[std::string(type->json_key)] = option_json(*type, choice.options.values());
    }
  }
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
