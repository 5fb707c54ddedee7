// The critical chain of a run, which explains the run's duration: its operations, each of which
// waited for the one before it, and what their time was spent on.
#pragma once

#include <vector>

#include "src/simulation/chain_walk.hpp"
#include "src/simulation/spending.hpp"

namespace tutti::inline simulation {

struct CriticalChain {
  std::vector<ChainStep> steps;  // first to last
  Spent spent;                   // adds up to the time of the run
};

// Returns the chain that walk_chain() finds, with an account of its time. `run_starts_s` is the
// earliest time at which an operation of the run can start, in seconds.
[[nodiscard]] CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                                           const OwnTimes& own_times, const RunSetup& setup = {},
                                           double run_starts_s = 0);

}  // namespace tutti::inline simulation
