// Which ranks a machine puts together: --groups host, switch or group.
#pragma once

#include "schedules/problem.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// Puts groups of ranks in place of the words that only a platform and a mapping give a meaning.
// Throws UserError where the platform has no such groups, or does not say which they are.
void place_groups(const Machine& machine, Problem& problem);

}  // namespace tutti::inline simulation
