#include "src/output/rules_ran_output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_names.hpp"
#include "base/printable.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"
#include "src/rule_files/library_algorithms.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

// Number of calls as text. It is fractional if it is a mean over ranks.
std::string used_calls_in_words(double calls) {
  return fmt::format("{:.6g} {}", calls, calls == 1 ? "call" : "calls");
}

std::string use_of(const RuleRan& rule, bool by_counters) {
  if (!rule.untold.empty()) {
    return "not known: " + with_fields(rule.untold);
  }
  if (rule.used > 0) {
    return rule.used == 1 ? "used once" : fmt::format("used {:.6g} times", rule.used);
  }
  return !rule.unknown.empty()  ? "not known"
         : !rule.others.empty() ? "never used"
         : by_counters          ? "never used: its algorithm did not run"
                                : "never used: no call of the run meets its conditions";
}

Json calls_json(const std::vector<CallsAndWhy>& calls) {
  return json_array(calls, [](const CallsAndWhy& each) -> Json {
    return {{"calls", each.calls}, {"why", printable(with_fields(each.why))}};
  });
}

}  // namespace

void print_rules_ran(const RulesRan& ran, RuleFormat format, std::ostream& out) {
  print_heading(out, "What ran");
  const Collective* before = nullptr;
  for (const RuleRan& rule : ran.rules) {
    if (before == nullptr || *before != rule.collective) {
      print_field(out, 2, 0, "", name(rule.collective));
    }
    before = &rule.collective;
    print_field(out, 4, 0, "",
                fmt::format("line {}, {}: {}", rule.line,
                            in_both_words(format, rule.collective, rule.choice),
                            use_of(rule, ran.by_counters)));
    for (const CallsAndWhy& each : rule.others) {
      print_field(out, 6, 0, "",
                  fmt::format("not for {}: {}", used_calls_in_words(each.calls),
                              printable(with_fields(each.why))));
    }
    for (const CallsAndWhy& each : rule.unknown) {
      print_field(out, 6, 0, "",
                  fmt::format("perhaps for {}: {}", used_calls_in_words(each.calls),
                              printable(with_fields(each.why))));
    }
  }
  if (!ran.without_rule.empty()) {
    print_field(out, 2, 0, "", "calls without a rule");
    for (const CallsWithoutRule& each : ran.without_rule) {
      print_field(out, 4, 0, "",
                  fmt::format("{}, {}: {}", name(each.collective), used_calls_in_words(each.calls),
                              printable(each.what)));
    }
  }
  for (const std::string& note : ran.notes) {
    print_field(out, 2, 0, "", printable(note));
  }
}

nlohmann::ordered_json rules_ran_json(const RulesRan& ran) {
  Json json;
  json["rules"] = json_array(ran.rules, [](const RuleRan& rule) -> Json {
    return {{"collective", name(rule.collective)},
            {"line", rule.line},
            {"conditions", rule.conditions},
            {"used", rule.untold.empty() ? Json(rule.used) : Json()},
            {"not_used", calls_json(rule.others)},
            {"unknown", calls_json(rule.unknown)},
            {"untold", or_null(with_fields(rule.untold))}};
  });
  json["without_rule"] = json_array(ran.without_rule, [](const CallsWithoutRule& each) -> Json {
    return {{"collective", name(each.collective)},
            {"calls", each.calls},
            {"what", printable(each.what)}};
  });
  json["notes"] =
      json_array(ran.notes, [](const std::string& each) -> Json { return printable(each); });
  return json;
}

}}  // namespace tutti::output
