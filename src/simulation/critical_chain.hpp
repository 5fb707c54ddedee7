// The critical chain of a run, which explains the run's duration: its operations, each started by
// the one before, and what their time was spent on.
#pragma once

#include <vector>

#include "src/simulation/chain_walk.hpp"
#include "src/simulation/spending.hpp"

namespace tutti::inline simulation {

struct CriticalChain {
  std::vector<ChainStep> steps;  // first to last
  Spent spent;                   // adds up to the time of the run
};

// Accounts for the time of the chain that walk_chain() finds. The first operation of the run can
// start at `run_starts_s`.
[[nodiscard]] CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                                           const OwnTimes& own_times, const RunSetup& setup = {},
                                           double run_starts_s = 0);

}  // namespace tutti::inline simulation
