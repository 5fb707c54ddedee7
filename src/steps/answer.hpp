// The answer to a description of a step: its time, and what the time goes to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/simulation/engine_run.hpp"
#include "src/steps/account.hpp"
#include "src/steps/choices.hpp"
#include "src/steps/contention.hpp"
#include "src/steps/description.hpp"
#include "src/steps/machine.hpp"
#include "src/steps/simai/comparison.hpp"
#include "src/steps/step_change.hpp"
#include "src/steps/streams.hpp"

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
  std::optional<StepChanges> changes;          // set if they were asked for
  double limit_s = 0;                          // step_limit_s()
  std::vector<RankStreams> streams;            // of some ranks
  std::optional<StepContention> contention;    // set if it was asked for
};

inline constexpr std::uint32_t kAllRanks = 0xffffffffU;

struct StepRequest {
  bool next_algorithms = false;  // see choose_algorithms()
  // The number of ranks whose streams are kept: those of ranks_to_show(), or kAllRanks. Then
  // every iteration is simulated.
  std::uint32_t streams = 0;
  bool contention = false;
};

// Chooses the algorithms and simulates the step.
[[nodiscard]] StepAnswer answer_of(StepDescription step, StepMachine machine,
                                   const StepRequest& request = {});
// Simulates the step with these algorithms.
[[nodiscard]] StepAnswer simulated_step(StepDescription step, StepMachine machine,
                                        std::vector<CallChoice> choices,
                                        const StepRequest& request = {});

}}  // namespace tutti::steps
