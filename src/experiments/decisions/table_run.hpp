// What a table's choice comes to for one problem: a run, or the one that the library makes instead.
#pragma once

#include <optional>
#include <string>

#include "src/experiments/comparison.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti::inline requests {
class Command;
}  // namespace tutti::inline requests

namespace tutti::inline experiments {

struct TableRun {
  Choice choice;             // what runs in the end
  std::optional<Case> what;  // without a machine; nothing where nothing is known to run
  std::string refusal;       // why the table's own choice cannot run; "" where it can
};

// `asked` by the user; ranks and bytes are those of `problem`.
[[nodiscard]] TableRun table_run(const DecisionTable& table, const Choice& choice,
                                 const ProblemTemplate& asked, const Problem& problem);

// A problem without an algorithm: ranks, bytes, elements, root. Throws UserError.
[[nodiscard]] Problem plain_problem(Collective collective, const ProblemTemplate& asked,
                                    std::uint32_t ranks, std::optional<std::uint64_t> bytes);
// -p, -n and --elem-bytes.
void add_plain_options(Command& app, ProblemOptions& options);

}  // namespace tutti::inline experiments
