// Computes, in seconds, the time of a schedule by its longest path and by its closed form, and
// lower bounds for this time.
#pragma once

#include <optional>

#include "cost_models/lower_bounds.hpp"
#include "schedules/algorithm.hpp"
#include "src/simulation/critical_chain.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

struct ScheduleTimes {
  MachineFacts machine;
  double longest_path_s = 0;
  std::optional<double> exact_s;  // set if a closed form is known
  CriticalChain chain;            // the longest path
  // Unset for machines with several ports or measured costs, because the bounds assume one port,
  // and alpha, beta and gamma.
  std::optional<LowerBounds> bounds;
};

// Computes the times of a schedule. Throws UserError if the machine's platform is invalid.
[[nodiscard]] ScheduleTimes times_of(const Schedule& schedule, const Algorithm& algorithm,
                                     const Machine& machine);

}  // namespace tutti::inline simulation
