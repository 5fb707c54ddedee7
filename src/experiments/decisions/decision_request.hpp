// Request for a decision, with parsed values in place of option texts, and how it is carried out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/decisions/decision.hpp"
#include "src/requests/problem_request.hpp"

namespace tutti { inline namespace experiments {

struct DecisionRequest {
  Collective collective = Collective::allreduce;
  TimedBy by = TimedBy::simulation;
  std::string measured_file;
  RuleLimits limits;
  double crossover = 0.05;
  ProblemRequest problems;        // the numbers of ranks and the sizes in it form the grid
  bool sizes_are_blocks = false;  // as in Decision
  OpenedMachine machine;
  // Number of random placements, each with its own seed. The first seed is the one in
  // MachineSpec::disturbance, and each further seed is larger by 1. If `placements` is empty, the
  // machine's own placement is used.
  std::optional<std::uint32_t> placements;
  CandidateFilter who;
};

// A decision without times.
struct PreparedDecision {
  Decision decision;
  ProblemTemplate problem_template;
};
// Returns the decision before candidates are timed. Throws UserError for all faults of `request`
// that can be found without times.
[[nodiscard]] PreparedDecision prepare_decision(DecisionRequest request);
// Times all candidates, or reads measured times, and fills in the rules of the decision. `runner`
// may be null if nothing is run; if `everything` is set, simulates all candidates to their
// end.
void carry_out(Decision& decision, Runner* runner, std::size_t jobs, bool everything);

[[nodiscard]] bool something_runs(const Decision& decision);
// Throws UserError, which says why nothing runs, if something_runs() is false.
void check_something_runs(const Decision& decision);
// Returns the reason why the first refused candidate cannot run; empty if none was refused.
[[nodiscard]] std::optional<std::string> first_refusal(const Decision& decision);

}}  // namespace tutti::experiments
