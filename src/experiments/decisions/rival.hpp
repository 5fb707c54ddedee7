// Choices that a decision is compared with: those of a table, or those built into a library.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "src/built_in/built_in.hpp"
#include "src/built_in/installed_rules.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/rule_files/library_catalogue.hpp"

namespace tutti { inline namespace experiments {

struct RivalChoice {
  std::optional<Choice> choice;  // empty if the rival has no choice for the problem
  TableRun run;                  // what runs for this choice; see TableRun
};

struct Rival {
  std::string name;   // as the user wrote it: a file, or "Open MPI 5.0"
  std::string title;  // description; "" if the name suffices
  std::function<RivalChoice(const Problem&)> choose;
  // Says what takes precedence over the choices of a rule file; "" if nothing does.
  std::string before;
  bool in_blocks = false;  // true if its choices assume that ranks are placed on hosts in blocks
  bool runs_nccl = false;  // true if its choices run as 'tutti nccl' simulates them
  std::shared_ptr<const DecisionTable> nccl_rules = {};  // set for a file of NCCL's tuner
};

// Returns a rival that chooses by `table`.
[[nodiscard]] Rival rival_table(std::string name, DecisionTable table,
                                const ProblemTemplate& problem_template);
// Parses `text`, the value of --against: the name of a library whose decisions are known, or of a
// file. Throws UserError for any other text, and for a file without a table for `collective`.
[[nodiscard]] Rival rival_named(const std::string& text, Collective collective,
                                const ProblemTemplate& problem_template);
// Returns the call of a library for `problem`, without rules.
[[nodiscard]] LibraryCall library_call(const Problem& problem, std::uint32_t ranks_per_host);
// Returns what a library with known decisions runs for `call`, which must describe `problem`.
[[nodiscard]] RivalChoice built_in_choice(const LibraryVersion& version, const LibraryCall& call,
                                          const ProblemTemplate& problem_template,
                                          const Problem& problem);
// Returns a rival that chooses like the library's built-in decisions, for
// `problem_template.ranks_per_host` ranks on each host. If `rules` is not null, the rules in these
// files come first; they must outlive the rival.
[[nodiscard]] Rival built_in_rival(const LibraryVersion& version,
                                   const ProblemTemplate& problem_template,
                                   const InstalledRules* rules = nullptr);

}}  // namespace tutti::experiments
