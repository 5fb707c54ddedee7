#include "src/output/choice_json.hpp"

#include "base/field_names.hpp"
#include "base/printable.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/library_choice.hpp"
#include "src/rule_files/decision_json.hpp"

namespace tutti { inline namespace output {

namespace { namespace choice_fields_of {

constexpr auto kLevel = fields<LibraryLevel>({
    {"depth", member<&LibraryLevel::depth>,
     "0 for a decision about the whole call, 1 or more for a decision about a part of it."},
    {"decided_by", member<&LibraryLevel::decided_by>},
    {"ranks", member<&LibraryLevel::ranks>,
     "Ranks for which the decision is made. Empty if it is made for all ranks."},
    {"where", member<&LibraryLevel::where>, "Place in the library's sources or in the rule file."},
    {"because", member<&LibraryLevel::because>},
    {"chosen", member<&LibraryLevel::chosen>},
});

struct RuleOfChoice {
  const Rule& rule;
  SizeMeasure measure;
};

std::optional<std::vector<RuleOfChoice>> rules_of(const ChoiceRow& of) {
  if (of.table == nullptr) {
    return std::nullopt;
  }
  std::vector<RuleOfChoice> rules;
  for (const Rule* const rule : of.rules) {
    rules.push_back({*rule, of.table->measure});
  }
  return rules;
}

constexpr auto kRule = fields<RuleOfChoice>({
    {"line", [](const RuleOfChoice& of) { return of.rule.line; }, "Line of the rule in the file."},
    {"because", [](const RuleOfChoice& of) { return conditions_in_words(of.rule, of.measure); },
     "Conditions of the rule."},
});

constexpr auto kRow = fields<ChoiceRow>({
    {"ranks", member<&ChoiceRow::ranks>, at_least(1)},
    {"ranks_per_host",
     [](const ChoiceRow& of) {
       return of.call != nullptr ? std::optional(of.call->ranks_per_node) : std::nullopt;
     },
     at_least(1) | in_form(2)},
    {"bytes", member<&ChoiceRow::bytes>},
    {"choice", kChoiceFields, member<&ChoiceRow::choice>,
     "null if the library's algorithm has no counterpart in tutti."},
    {"runs", kChoiceFields, member<&ChoiceRow::runs>,
     "The algorithm that runs, with its options: the choice, or what the table says for calls that "
     "the chosen algorithm refuses. null if it is not known."},
    {"refused", [](const ChoiceRow& of) { return text_if_any(with_fields(of.refused)); },
     "Why the choice itself does not run, or why it has no counterpart in tutti. null if it runs."},
    {"table",
     [](const ChoiceRow& of) {
       return of.table != nullptr ? std::make_optional(text_if_any(of.table->name)) : std::nullopt;
     },
     in_form(1), "Name of the table, as its file says. null if it has none."},
    {"rules", kRule, from<rules_of>, in_form(1) | items_from(1),
     "The rules that led to the choice, outermost first."},
    {"path", kLevel,
     [](const ChoiceRow& of) {
       return of.decision != nullptr ? std::optional(of.decision->path) : std::nullopt;
     },
     in_form(2) | items_from(1), "The decisions of the library, one after the other."},
    {"command",
     [](const ChoiceRow& of) {
       return of.call != nullptr
                  ? std::make_optional(text_if_any(simulate_command(*of.call, of.decision->choice)))
                  : std::nullopt;
     },
     in_form(2),
     "The tutti simulate command for the choice. null if tutti cannot run it by itself."},
    {"assumed",
     [](const ChoiceRow& of) {
       return of.decision != nullptr ? text_if_any(of.decision->assumed) : std::nullopt;
     },
     absent,
     "What is assumed about the machine, and would change the choice if it were wrong. Absent if "
     "nothing is."},
});

std::vector<std::string> printable_tables(const ChoiceAnswer& of) {
  std::vector<std::string> paths;
  for (const std::string& path : of.tables) {
    paths.push_back(printable(path));
  }
  return paths;
}

constexpr auto kChoices = fields<ChoiceAnswer>({
    {"collective", [](const ChoiceAnswer& of) { return name(of.problem.collective); }},
    {"element_bytes", [](const ChoiceAnswer& of) { return of.problem.element_bytes; }, at_least(1)},
    {"library", [](const ChoiceAnswer& of) { return text_if_any(std::string(of.library)); },
     "Name of the library's release. null without --library."},
    {"table", from<printable_tables>, one_without_list,
     "Value of --table; a list if there are several. null without this option."},
    {"choices", kRow, [](const ChoiceAnswer& of) -> const auto& { return of.choices; },
     items_from(1), "One object per call: for each number of ranks, all sizes."},
});

}}  // namespace ::choice_fields_of

ChoiceRow choice_row(const LibraryCall& call, const LibraryDecision& decision) {
  const Choice* const choice = decision.choice.algorithm.empty() ? nullptr : &decision.choice;
  return {call.ranks, call.bytes, choice, choice, choice == nullptr ? decision.lacking : "",
          &call,      &decision};
}

ChoiceRow choice_row(const Problem& problem, const DecisionTable& table, const TableChoice& chosen,
                     const TableRun& run) {
  return {problem.ranks, problem.bytes, chosen.choice, run.what ? &run.choice : nullptr,
          run.refusal,   nullptr,       nullptr,       &table,
          chosen.path};
}

extern const DocumentOf<ChoiceAnswer> kChoiceDocument{
    {"tutti-choice/2",
     "what a decision table or an MPI library chooses for calls, as written by tutti choose --json",
     choice_fields_of::kChoices.view()}};

}}  // namespace tutti::output
