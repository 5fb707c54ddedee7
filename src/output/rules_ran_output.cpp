#include "src/output/rules_ran_output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_names.hpp"
#include "base/printable.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"
#include "src/rule_files/library_algorithms.hpp"

namespace tutti { inline namespace output {

namespace {

// Number of calls as text. It is fractional if it is a mean over ranks.
std::string used_calls_in_words(double calls) {
  return fmt::format("{:.6g} {}", calls, calls == 1 ? "call" : "calls");
}

std::string use_of(const RuleUse& rule, bool by_counters) {
  if (!rule.why_unknown.empty()) {
    return "not known: " + with_fields(rule.why_unknown);
  }
  if (rule.used > 0) {
    return rule.used == 1 ? "used once" : fmt::format("used {:.6g} times", rule.used);
  }
  return !rule.unknown.empty()  ? "not known"
         : !rule.others.empty() ? "never used"
         : by_counters          ? "never used: its algorithm did not run"
                                : "never used: no call of the run meets its conditions";
}

}  // namespace

void print_rules_ran(const RuleUses& ran, RuleFormat format, std::ostream& out) {
  print_heading(out, "What ran");
  const Collective* before = nullptr;
  for (const RuleUse& rule : ran.rules) {
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

namespace { namespace rules_ran_fields_of {

constexpr auto kCalls = fields<CallsAndWhy>({
    {"calls", member<&CallsAndWhy::calls>, above(0), "Fractional if it is a mean over ranks."},
    {"why", [](const CallsAndWhy& of) { return printable(with_fields(of.why)); }},
});

constexpr auto kRule = fields<RuleUse>({
    {"collective", [](const RuleUse& of) { return name(of.collective); }},
    {"line", member<&RuleUse::line>},
    {"conditions", member<&RuleUse::conditions>},
    {"used", [](const RuleUse& of) { return value_if(of.why_unknown.empty(), of.used); },
     "Number of calls for which the library used the rule. null if the run cannot show it."},
    {"not_used", kCalls, member<&RuleUse::others>,
     "Calls that meet the conditions, but took something else, and why."},
    {"unknown", kCalls, member<&RuleUse::unknown>,
     "Calls that meet the conditions, but of which the run does not show whether they used the "
     "rule."},
    {"untold", [](const RuleUse& of) { return text_if_any(with_fields(of.why_unknown)); },
     "Why the run cannot show how often the rule was used. null if it can."},
});

constexpr auto kWithoutRule = fields<CallsWithoutRule>({
    {"collective", [](const CallsWithoutRule& of) { return name(of.collective); }},
    {"calls", member<&CallsWithoutRule::calls>},
    {"what", [](const CallsWithoutRule& of) { return printable(of.what); }},
});

std::vector<std::string> notes_of(const RuleUses& ran) {
  std::vector<std::string> notes;
  for (const std::string& note : ran.notes) {
    notes.push_back(printable(note));
  }
  return notes;
}

constexpr auto kRulesRan = fields<RuleUses>({
    {"rules", kRule, member<&RuleUses::rules>},
    {"without_rule", kWithoutRule, member<&RuleUses::without_rule>},
    {"notes", from<notes_of>, "What ran each collective, and what was assumed."},
});

}}  // namespace ::rules_ran_fields_of

FieldView rules_ran_fields() { return rules_ran_fields_of::kRulesRan.view(); }

}}  // namespace tutti::output
