// Runs the leaders of each cell again, to see whether their times depend on ties.
//
// The times of one cell are ranked. Some operations wait for a port or a core. If several of them
// become ready at the same instant, a tie-breaking rule says which goes first (sim/ties.hpp). A
// ranking that depends on this rule means nothing. Therefore the leaders of each cell, which take
// at most 10 % (kNearSecond) longer than the second-best, run again with other orders of ties. If
// the medians over these orders move other runs to the top, these other runs run again too, until
// every leader has been checked. A run is not repeated if no operation waited, or if it has more
// operations than unasked_ties() allows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/experiments/runner/runner.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti::inline experiments {

// Few times change by more than this share when ties are broken in another way.
inline constexpr double kNearSecond = 0.1;

// The time of one contender in a cell.
struct LeaderTime {
  double seconds = 0;
  // True if the time may depend on ties, and the contender has not been run again to check this.
  bool may_tie = false;
};

// Returns the leaders to run again, as indices into `times`, which belong to one cell.
[[nodiscard]] std::vector<std::size_t> leaders_to_run_again(std::span<const LeaderTime> times);

// True if another order of ties may change the time of `run`, and checking it is cheap.
[[nodiscard]] bool may_tie(const CaseRun& run);

// Runs the leaders of all cells again. The runs of one cell are consecutive; `ends` has the index
// after the last run of each cell.
void run_leaders_again(std::vector<CaseRun>& runs, const std::vector<std::size_t>& ends,
                       Runner& runner);

}  // namespace tutti::inline experiments
