// Explains a run in which all ranks are equivalent, from the operations of one rank.
#pragma once

#include <optional>

#include "schedules/algorithm.hpp"
#include "src/simulation/explain/explanation.hpp"

namespace tutti { inline namespace simulation {

// Simulates and explains one rank in place of all. `improve`: also finds Explanation::improvements.
//
// The result is for print_explanation() only: its schedule and its chain are those of one rank, and
// its ranks all have the same slack. The printed text equals that of a run of all ranks, to the
// last digit. Returns nothing if that is not certain:
//
// - The ranks of the machine or of the schedule differ, or an operation waited for a port or a
//   core.
// - A link held a message back. The text would name the links of the rank that the critical chain
//   of all ranks visits.
// - At some step of the critical chain, several operations could precede. The order of all
//   operations would decide between them.
[[nodiscard]] std::optional<Explanation> explain_one_rank(const Algorithm& algorithm,
                                                          const Problem& problem,
                                                          const Machine& machine, bool improve);

// Does what what_would_help() does for a run of all ranks. `one` is the run of one rank, which must
// not have waited for a port or a core. Simulates all ranks for a change after which ranks wait.
[[nodiscard]] Improvements what_would_help_all(const Simulation& one, const Machine& machine);

}}  // namespace tutti::simulation
