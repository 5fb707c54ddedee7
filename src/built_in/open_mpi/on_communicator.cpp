// Source: Open MPI v4.1.8, v5.0.9 and main of August 2026 (8efebee7): ompi/mca/coll/tuned (for each
// collective, coll_tuned_module.c selects a function that decides; coll_tuned_decision_fixed.c,
// which is the same in 4.1 and 5.0, defines these functions), ompi/mca/coll/basic,
// ompi/mca/coll/libnbc.
#include "src/built_in/open_mpi/on_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/human.hpp"
#include "schedules/registry.hpp"
#include "src/built_in/built_in_tables.hpp"
#include "src/built_in/part_call.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_checks.hpp"

namespace tutti { inline namespace built_in {

namespace {

constexpr std::string_view kTuned = "open_mpi_4.1.json";
constexpr std::string_view kTunedMain = "open_mpi_main.json";
constexpr std::string_view kTunedOnePerNode = "open_mpi_main_one_per_node.json";
constexpr std::string_view kLibnbc = "open_mpi_libnbc.json";

// Returns the library's name for the choice, preceded by coll/tuned's number if `numbered` is true,
// and followed by the parameters that rules can set: "7 knomial, not segmented".
std::string library_name_of(const CommunicatorCall& call, const Choice& choice, bool numbered) {
  std::string text(library_name(choice));
  const auto algorithms = library_algorithms(RuleFormat::ompi4);
  const auto found = std::find_if(algorithms.begin(), algorithms.end(), [&](const auto& each) {
    // The choice "bruck", for example, is the library's "bruck-k-fanout".
    return each.collective == call.collective && each.in_release(call.release) &&
           (each.name == text || each.name.starts_with(text + "-"));
  });
  if (numbered && found != algorithms.end()) {
    text = fmt::format("{} {}", found->id, found->name);
  }
  if (choice.options.has(Option::radix)) {
    text += fmt::format(", fan-out {}", choice.options.text(Option::radix));
  }
  if (choice.segment_bytes > 0) {
    text += fmt::format(", segments of {}", human_bytes(choice.segment_bytes));
  } else if (numbered && found != algorithms.end() && found->segments) {
    text += ", not segmented";
  }
  return text;
}

// If the algorithm that `of` chooses cannot run the call, replaces it as coll/base does, and adds
// the replacement to the path. The replacement may need to be replaced too.
void add_substitutes(const CommunicatorCall& call, const DecisionTable& table,
                     LibraryDecision& of) {
  for (std::size_t tries = 0; tries <= table.substitutes.size(); ++tries) {
    auto why = why_unserved(of.choice, call.ranks);
    if (why && of.choice.served == ServedRanks::two) {
      of.lacking = *why;
      of.choice = {};
      return;
    }
    if (!why) {
      why = refusal(call, of.choice);
    }
    if (!why) {
      return;
    }
    const auto substitute =
        std::find_if(table.substitutes.begin(), table.substitutes.end(),
                     [&](const Substitute& each) { return each.algorithm == of.choice.algorithm; });
    if (substitute == table.substitutes.end()) {
      of.lacking = *why;
      of.choice = {};
      return;
    }
    const std::uint64_t segment_bytes = of.choice.segment_bytes;
    of.choice = substitute->instead;
    const Algorithm* const instead = find_algorithm(call.collective, of.choice.algorithm);
    if (of.choice.segment_bytes == 0 && instead != nullptr && takes(*instead, Option::segment)) {
      of.choice.segment_bytes = segment_bytes;
    }
    of.path.push_back({call.depth, "coll/base", call.whom,
                       fmt::format("coll_base_{}.c", name(call.collective)), *why,
                       fmt::format("{} instead", library_name(of.choice))});
  }
}

// Returns the decision of CommunicatorCall::rules; nothing if none of these rules holds for the
// call. Source: the macros COLL_TUNED_EXECUTE_IF_DYNAMIC of coll_tuned_module.c, and
// coll_tuned_decision_dynamic.c.
std::optional<LibraryDecision> decided_by_rules(const CommunicatorCall& call) {
  const auto table = std::ranges::find_if(
      call.rules, [&](const DecisionTable& each) { return each.collective == call.collective; });
  if (table == call.rules.end()) {
    return std::nullopt;
  }
  const auto chosen = look_up(*table, call.ranks, call.bytes, call.element_bytes);
  if (!chosen || chosen->choice->left_to_library) {
    return std::nullopt;
  }
  LibraryDecision decision;
  decision.choice = *chosen->choice;
  decision.path.push_back({call.depth, "coll/tuned", call.whom, place_of(*chosen, *table),
                           conditions_of(*chosen, *table),
                           library_name_of(call, decision.choice, true),
                           RuleQuery{call.collective, call.ranks, call.bytes}});
  if (decision.choice.algorithm.empty()) {
    decision.lacking = fmt::format("tutti has no {} equivalent to the library's {}",
                                   name(call.collective), decision.choice.library_algorithm);
    return decision;
  }
  add_substitutes(call, *table, decision);
  return decision;
}

LibraryDecision decided_by(const CommunicatorCall& call, std::string_view component,
                           std::string_view file, std::string_view where) {
  const DecisionTable* table = built_in_table(file, call.collective);
  TUTTI_INVARIANT(table != nullptr);
  const auto chosen = look_up(*table, call.ranks, call.bytes, call.element_bytes);
  TUTTI_INVARIANT(chosen);
  LibraryDecision decision;
  decision.choice = *chosen->choice;
  decision.path.push_back({call.depth, std::string(component), call.whom,
                           fmt::format("{} ({}, line {})", where, file, chosen->path.back()->line),
                           conditions_of(*chosen, *table),
                           library_name_of(call, decision.choice, component == "coll/tuned")});
  add_substitutes(call, *table, decision);
  return decision;
}

LibraryDecision linear(const CommunicatorCall& call, std::string_view component, std::string where,
                       std::string because) {
  LibraryDecision decision;
  decision.choice.algorithm = "linear";
  decision.path.push_back({call.depth, std::string(component), call.whom, std::move(where),
                           std::move(because), "linear"});
  return decision;
}

}  // namespace

bool tuned_has(Collective collective, std::span<const DecisionTable> rules) {
  return built_in_table(kTuned, collective) != nullptr ||
         std::ranges::find(rules, collective, &DecisionTable::collective) != rules.end();
}

LibraryDecision tuned_decision(const CommunicatorCall& call) {
  if (auto decision = decided_by_rules(call)) {
    return *std::move(decision);
  }
  if (built_in_table(kTuned, call.collective) == nullptr) {
    return linear(
        call, "coll/tuned",
        fmt::format("coll_tuned_decision_dynamic.c, {}_intra_dec_dynamic", name(call.collective)),
        "no rule names an algorithm");
  }
  std::string_view file = kTuned;
  std::string_view kind = "intra";
  if (call.release >= kMain) {
    if (call.one_per_node && built_in_table(kTunedOnePerNode, call.collective) != nullptr) {
      file = kTunedOnePerNode;
      kind = "intra_disjoint";
    } else if (built_in_table(kTunedMain, call.collective) != nullptr) {
      file = kTunedMain;
    }
  }
  return decided_by(
      call, "coll/tuned", file,
      fmt::format("coll_tuned_decision_fixed.c, {}_{}_dec_fixed", name(call.collective), kind));
}

LibraryDecision basic_decision(const CommunicatorCall& call) {
  return linear(call, "coll/basic", fmt::format("coll_basic_{}.c", name(call.collective)),
                "it has no other algorithm");
}

LibraryDecision libnbc_decision(const CommunicatorCall& call) {
  return decided_by(call, "coll/libnbc", kLibnbc,
                    fmt::format("nbc_i{0}.c, nbc_{0}_init", name(call.collective)));
}

}}  // namespace tutti::built_in
