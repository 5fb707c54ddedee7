// Simulates a step: one of its replicas if they are alike, and few iterations of its loops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/simulation/engine_run.hpp"
#include "src/steps/call_parts.hpp"
#include "src/steps/machine.hpp"
#include "src/steps/places.hpp"
#include "src/steps/repetition.hpp"
#include "src/steps/step_schedule.hpp"

namespace tutti { inline namespace steps {

struct StepRun {
  ShortStep shortened;
  StepPlaces places;
  StepSchedule step;  // of the shortened step, at the places
  Schedule schedule;
  EngineRun run;

  // Number of ranks for which each simulated one stands.
  [[nodiscard]] std::uint32_t stands_for() const {
    return static_cast<std::uint32_t>(places.rank_of_place.size() / places.simulated);
  }
};

// Throws UserError if communication makes computing slower and the machine does not model this.
void check_slowdowns(const StepDescription& step, const StepMachine& machine);

// Simulates the step. Throws UserError, and ScheduleTooLarge.
[[nodiscard]] StepRun run_step(const StepDescription& step, CallParts& parts,
                               const StepMachine& machine);

// Returns the time of a collective alone on the given ranks of the step.
[[nodiscard]] double time_alone_s(const CallRun& run, const StepMachine& machine,
                                  const std::vector<Rank>& members);

}}  // namespace tutti::steps
