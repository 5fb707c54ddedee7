#include "src/built_in/part_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace built_in {

namespace {

// Returns the conditions of `taken`, which is one of `rules`, with additional lower bounds. The
// bounds follow from the rules before `taken`, because `taken` is reached only if none of these
// rules holds.
RuleConditions with_lower_bounds(const std::vector<Rule>& rules, const Rule& taken) {
  RuleConditions bounded = taken;
  for (const Rule& before : rules) {
    if (&before == &taken) {
      break;
    }
    RuleConditions only = before;
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

}  // namespace

std::vector<EqualNodes> equal_nodes(const LibraryCall& call) {
  const std::uint32_t last = call.ranks - (call.nodes() - 1) * call.ranks_per_node;
  if (last == call.ranks_per_node) {
    return {{last, fmt::format("{} ranks on each node", last)}};
  }
  return {{call.ranks_per_node,
           fmt::format("{} ranks on each of the other nodes", call.ranks_per_node)},
          {last, fmt::format("{} ranks on the last node", last)}};
}

std::string_view library_name(const Choice& choice) {
  return choice.library_algorithm.empty() ? std::string_view(choice.algorithm)
                                          : std::string_view(choice.library_algorithm);
}

std::optional<std::string> refusal(const PartCall& call, const Choice& choice) {
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

std::string place_of(const TableChoice& chosen, const DecisionTable& table) {
  return fmt::format("{}, line {}",
                     table.source.empty() ? "the rule file" : user_text(table.source),
                     chosen.path.back()->line);
}

std::string conditions_of(const TableChoice& chosen, const DecisionTable& table) {
  std::string text;
  const std::vector<Rule>* rules = &table.rules;
  for (const Rule* rule : chosen.path) {
    const RuleConditions bounded = with_lower_bounds(*rules, *rule);
    if (bounded.conditional()) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ",
                          conditions_in_words(bounded, table.measure));
    }
    rules = &rule->then;
  }
  return text.empty() ? "always" : text;
}

}}  // namespace tutti::built_in
