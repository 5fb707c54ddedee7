// The time of a schedule by its longest path, beside its closed form and lower bounds; in seconds.
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
  std::optional<double> exact_s;  // where a closed form is known
  CriticalChain chain;            // the longest path
  // Nothing for machines of several ports or measured curves: the bounds hold for one port and for
  // alpha, beta and gamma.
  std::optional<LowerBounds> bounds;
};

// Throws UserError where the machine's platform is at fault.
[[nodiscard]] ScheduleTimes times_of(const Schedule& schedule, const Algorithm& algorithm,
                                     const Machine& machine);

}  // namespace tutti::inline simulation
