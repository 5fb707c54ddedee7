// The request for a decision, in values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/decisions/decision.hpp"
#include "src/requests/problem_request.hpp"

namespace tutti::inline experiments {

struct DecisionRequest {
  Collective collective = Collective::allreduce;
  TimedBy by = TimedBy::simulation;
  std::string measured_file;
  RuleLimits limits;
  double crossover = 0.05;
  ProblemRequest problems;        // its ranks and sizes are the grid
  bool sizes_are_blocks = false;  // as of Decision
  OpenedMachine machine;
  // So many, each on hosts drawn by a seed of its own, from that of the machine's disturbance on;
  // nothing: where the machine says.
  std::optional<std::uint32_t> placements;
  CandidatesAsked who;
};

// A decision of which nothing is timed yet.
struct PreparedDecision {
  Decision decision;
  ProblemTemplate asked;
};
// Throws UserError for all that can be known to be wrong.
[[nodiscard]] PreparedDecision prepare_decision(DecisionRequest request);
// Times all candidates, and decides. `runner`: null where nothing is run; `everything` as of
// decide_by_times().
void carry_out(Decision& decision, Runner* runner, std::size_t jobs, bool everything);

}  // namespace tutti::inline experiments
