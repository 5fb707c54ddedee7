// Computes, in seconds, the time of a schedule by its longest path and by its closed form.
#pragma once

#include <optional>

#include "schedules/algorithm.hpp"
#include "src/simulation/critical_chain.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

struct ScheduleTimes {
  MachineFacts machine;
  double longest_path_s = 0;
  std::optional<double> exact_s;  // set if a closed form is known
  CriticalChain chain;            // the longest path
};

// Computes the times of a schedule. Throws UserError if the machine's platform is invalid.
[[nodiscard]] ScheduleTimes times_of(const Schedule& schedule, const Algorithm& algorithm,
                                     const Machine& machine);

}}  // namespace tutti::simulation
