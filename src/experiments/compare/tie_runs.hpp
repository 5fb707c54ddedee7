// Runs the leaders of each cell again, to see whether their times depend on ties.
//
// A cell consists of runs whose times are compared with each other. In a run, operations may wait
// for a port or a core. If several operations become ready at the same instant, a tie-breaking rule
// determines which of them goes first (sim/ties.hpp). If this rule also determines which run of a
// cell is the fastest, the comparison means nothing. Therefore the leaders of each cell are run
// again with several other tie-breaking orders. Leaders are the runs that take at most 10 %
// (kNearSecond) longer than the second-fastest run. The median over the orders becomes the new time
// of a leader. If the new times make other runs leaders, these are also run again, until every
// leader has been checked. A run is not repeated if no operation waited, or if it has more
// operations than default_tie_probe() allows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/experiments/runner/runner.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

// Runs that are slower than the second-fastest run by at most this share are run again with other
// orders of ties, because another order rarely changes a time by more.
inline constexpr double kNearSecond = 0.1;

// The time of one contender in a cell.
struct LeaderTime {
  double seconds = 0;
  // True if the time may depend on ties, and the contender has not been run again to check this.
  bool may_tie = false;
};

// Returns the leaders to run again, as indices into `times`, which are the times of one cell.
[[nodiscard]] std::vector<std::size_t> leaders_to_run_again(std::span<const LeaderTime> times);

// True if another tie-breaking order may change the time of `run`, no other order has been tried
// yet, and trying other orders is cheap.
[[nodiscard]] bool may_tie(const CaseRun& run);

// Runs the leaders of all cells again. The runs of one cell are consecutive. For each cell, `ends`
// contains the index after its last run.
void run_leaders_again(std::vector<CaseRun>& runs, const std::vector<std::size_t>& ends,
                       Runner& runner);

}}  // namespace tutti::experiments
