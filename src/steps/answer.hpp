// The answer to a description of a step: its time, and what the time goes to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/simulation/engine_run.hpp"
#include "src/steps/account.hpp"
#include "src/steps/choices.hpp"
#include "src/steps/description.hpp"
#include "src/steps/machine.hpp"
#include "src/steps/simai/comparison.hpp"

namespace tutti { inline namespace steps {

struct StepAnswer {
  StepDescription step;
  StepMachine machine;
  MachineFacts facts;
  std::vector<CallChoice> choices;  // of each of the step's calls
  StepWork work;
  StepAccount account;
  std::optional<EngineComparison> comparison;  // set if both engines were requested
  std::optional<SimaiComparison> simai;        // set if the step is a workload of SimAI
};

// Chooses the algorithms and simulates the step.
[[nodiscard]] StepAnswer answer_of(StepDescription step, StepMachine machine);

}}  // namespace tutti::steps
