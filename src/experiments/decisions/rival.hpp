// Whose choices a decision is held against: a table's, or those that a library has built in.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "src/built_in/built_in.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/rule_files/library_catalogue.hpp"

namespace tutti::inline experiments {

struct RivalChoice {
  std::optional<Choice> choice;  // nothing where it has none
  TableRun run;                  // what it comes to; its refusal says why nothing runs
};

struct Rival {
  std::string name;   // as the user says it: a file, or "Open MPI 5.0"
  std::string title;  // what it is; "" where the name says it
  std::function<RivalChoice(const Problem&)> choose;
  bool in_blocks = false;  // its choices are those for ranks in blocks on hosts
};

// A table that stands for somebody.
[[nodiscard]] Rival rival_table(std::string name, DecisionTable table,
                                const ProblemTemplate& asked);
// --against: a library whose decisions are known, or a file. Throws UserError for what is neither,
// and for a file without a table of this collective.
[[nodiscard]] Rival rival_named(const std::string& text, Collective collective,
                                const ProblemTemplate& asked);
// What a library whose decisions are known runs for the call, which is that of the problem.
[[nodiscard]] RivalChoice built_in_choice(const LibraryVersion& version, const LibraryCall& call,
                                          const ProblemTemplate& asked, const Problem& problem);
// What it has built in, for `asked.ranks_per_host` ranks on each host. `rules` as LibraryCall has
// them; they must live as long.
[[nodiscard]] Rival built_in_rival(const LibraryVersion& version, const ProblemTemplate& asked,
                                   std::span<const DecisionTable> rules = {});

}  // namespace tutti::inline experiments
