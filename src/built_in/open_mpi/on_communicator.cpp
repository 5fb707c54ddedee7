// Source: Open MPI v4.1.8, v5.0.9 and main of August 2026 (8efebee7): ompi/mca/coll/tuned
// (coll_tuned_module.c says which function decides, coll_tuned_decision_fixed.c how; it is the same
// file in 4.1 and 5.0), ompi/mca/coll/basic, ompi/mca/coll/libnbc.
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
#include "src/rule_files/library_algorithms.hpp"

namespace tutti {

namespace {

constexpr int kMain = 6;
constexpr std::string_view kTuned = "open_mpi_4.1.json";
constexpr std::string_view kTunedMain = "open_mpi_main.json";
constexpr std::string_view kTunedOnePerNode = "open_mpi_main_one_per_node.json";
constexpr std::string_view kLibnbc = "open_mpi_libnbc.json";

// Null where the file has none.
const DecisionTable* table_in(std::string_view file, Collective collective) {
  const auto tables = built_in_tables(file);
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const DecisionTable& table) {
    return table.collective == collective;
  });
  return found == tables.end() ? nullptr : &*found;
}

std::string_view library_name(const Choice& choice) {
  return choice.library_algorithm.empty() ? std::string_view(choice.algorithm)
                                          : std::string_view(choice.library_algorithm);
}

// "7 knomial, uncut": with the number that coll/tuned has for it, and what rules can say of it.
std::string in_librarys_words(const CommunicatorCall& call, const Choice& choice, bool numbered) {
  std::string text(library_name(choice));
  const auto algorithms = open_mpi_algorithms();
  const auto found = std::find_if(algorithms.begin(), algorithms.end(), [&](const auto& each) {
    return each.collective == call.collective && each.in_version(call.version) &&
           (each.name == text || each.name.starts_with(text + "-"));  // "bruck-k-fanout"
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
    text += ", uncut";
  }
  return text;
}

// Why the algorithm cannot serve the call; nothing where it can.
std::optional<std::string> refusal(const CommunicatorCall& call, const Choice& choice) {
  const Algorithm* algorithm = find_algorithm(call.collective, choice.algorithm);
  TUTTI_INVARIANT(algorithm != nullptr);
  Problem problem;
  problem.collective = call.collective;
  problem.ranks = call.ranks;
  problem.element_bytes = call.element_bytes;
  problem.bytes = call.bytes - call.bytes % call.element_bytes;
  choice.options.copy_into(problem);
  if (takes(*algorithm, Option::segment) && problem.bytes > 0) {
    problem.segment_bytes = choice.segment_bytes;
    if (choice.options.values().cuts != Cuts::open_mpi) {
      problem.segment_bytes =
          choice.segment_bytes == 0 ? problem.bytes : std::min(choice.segment_bytes, problem.bytes);
    }
  }
  try {
    check(*algorithm, problem);
  } catch (const UserError& error) {
    return error.what();
  }
  return std::nullopt;
}

// What the first rule below the others comes to: not only where it ends, but where those before it
// do.
Rule with_lower_bounds(const std::vector<Rule>& rules, const Rule& taken) {
  Rule bounded = taken;
  for (const Rule& before : rules) {
    if (&before == &taken) {
      break;
    }
    Rule only = before;
    only.ranks_below.reset();
    only.bytes_below.reset();
    if (only.conditional() || (before.ranks_below && before.bytes_below)) {
      continue;
    }
    if (before.ranks_below) {
      bounded.ranks_from = std::max(bounded.ranks_from.value_or(0), *before.ranks_below);
    }
    if (before.bytes_below) {
      bounded.bytes_from = std::max(bounded.bytes_from.value_or(0), *before.bytes_below);
    }
  }
  return bounded;
}

std::string conditions(const TableChoice& chosen, const DecisionTable& table) {
  std::string text;
  const std::vector<Rule>* rules = &table.rules;
  for (const Rule* rule : chosen.path) {
    const Rule bounded = with_lower_bounds(*rules, *rule);
    if (bounded.conditional()) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ",
                          conditions_in_words(bounded, table.measure));
    }
    rules = &rule->then;
  }
  return text.empty() ? "always" : text;
}

// What coll/base runs in place of an algorithm that cannot serve the call: one may need another.
void add_substitutes(const CommunicatorCall& call, const DecisionTable& table,
                     LibraryDecision& of) {
  for (std::size_t tries = 0; tries <= table.substitutes.size(); ++tries) {
    const auto why = refusal(call, of.choice);
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
    of.choice = substitute->instead;
    of.path.push_back({call.depth, "coll/base", call.whom,
                       fmt::format("coll_base_{}.c", name(call.collective)), *why,
                       fmt::format("{} instead", library_name(of.choice))});
  }
}

LibraryDecision decided_by(const CommunicatorCall& call, std::string_view component,
                           std::string_view file, std::string_view where) {
  const DecisionTable* table = table_in(file, call.collective);
  TUTTI_INVARIANT(table != nullptr);
  const auto chosen = look_up(*table, call.ranks, call.bytes, call.element_bytes);
  TUTTI_INVARIANT(chosen);
  LibraryDecision decision;
  decision.choice = *chosen->choice;
  decision.path.push_back({call.depth, std::string(component), call.whom,
                           fmt::format("{} ({}, line {})", where, file, chosen->path.back()->line),
                           conditions(*chosen, *table),
                           in_librarys_words(call, decision.choice, component == "coll/tuned")});
  add_substitutes(call, *table, decision);
  return decision;
}

}  // namespace

bool tuned_has(Collective collective) { return table_in(kTuned, collective) != nullptr; }

LibraryDecision tuned_decision(const CommunicatorCall& call) {
  std::string_view file = kTuned;
  std::string_view kind = "intra";
  if (call.version >= kMain) {
    if (call.one_per_node && table_in(kTunedOnePerNode, call.collective) != nullptr) {
      file = kTunedOnePerNode;
      kind = "intra_disjoint";
    } else if (table_in(kTunedMain, call.collective) != nullptr) {
      file = kTunedMain;
    }
  }
  return decided_by(
      call, "coll/tuned", file,
      fmt::format("coll_tuned_decision_fixed.c, {}_{}_dec_fixed", name(call.collective), kind));
}

LibraryDecision basic_decision(const CommunicatorCall& call) {
  LibraryDecision decision;
  decision.choice.algorithm = "linear";
  decision.path.push_back({call.depth, "coll/basic", call.whom,
                           fmt::format("coll_basic_{}.c", name(call.collective)), "it has no other",
                           "linear"});
  return decision;
}

LibraryDecision libnbc_decision(const CommunicatorCall& call) {
  return decided_by(call, "coll/libnbc", kLibnbc,
                    fmt::format("nbc_i{0}.c, nbc_{0}_init", name(call.collective)));
}

}  // namespace tutti
