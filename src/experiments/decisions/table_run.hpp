// Finds out what runs for a choice in a decision table: the chosen algorithm, or what the library
// runs instead.
#pragma once

#include <optional>
#include <string>

#include "src/experiments/compare/comparison.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti { inline namespace requests {
class Command;
}}  // namespace tutti::requests

namespace tutti { inline namespace experiments {

struct TableRun {
  Choice choice;             // what runs: the table's choice or its substitute
  std::optional<Case> what;  // without a machine; empty if it is unknown what runs
  std::string refusal;       // why the table's own choice cannot run; "" if it can
};

// Returns the run of `choice`, or of its substitute in `table`, for `problem`. Options that the
// choice does not determine are taken from `problem_template`.
[[nodiscard]] TableRun table_run(const DecisionTable& table, const Choice& choice,
                                 const ProblemTemplate& problem_template, const Problem& problem);

// Returns a problem that has ranks, bytes, an element size and a root, but no options of an
// algorithm. Throws UserError if the bytes are not a whole number of elements.
[[nodiscard]] Problem plain_problem(Collective collective, const ProblemTemplate& problem_template,
                                    std::uint32_t ranks, std::optional<std::uint64_t> bytes);

}}  // namespace tutti::experiments
