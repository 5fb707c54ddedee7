// Which runs are made again to see whether their times depend on ties.
//
// Times of one cell are ranked. Some operations wait for a port or a core, and where several are
// ready at once, a rule of order says which goes first (sim/ties.hpp); a rank that rests on it says
// nothing. So the leaders of each cell are run again with the order of ties changed: those whose
// time is at most kNearSecond above the second-best. Where a median then moves others up, these are
// run again as well, until every leader is known. A run is not made again where no operation
// waited, and where it has more operations than unasked_ties() allows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/experiments/runner/runner.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti::inline experiments {

// Ties move few times by more.
inline constexpr double kNearSecond = 0.1;

// The time of one contender in a cell.
struct LeaderTime {
  double seconds = 0;
  bool may_tie = false;  // nobody has looked yet, and its time may depend on ties
};

// Places in `times`, of one cell, of the leaders to run again.
[[nodiscard]] std::vector<std::size_t> leaders_to_run_again(std::span<const LeaderTime> times);

// True if another order of ties may change the time of `run`, and it is cheap to look.
[[nodiscard]] bool may_tie(const CaseRun& run);

// Runs the leaders of all cells again. The runs of one cell stand together, `ends` says where the
// cells end.
void run_leaders_again(std::vector<CaseRun>& runs, const std::vector<std::size_t>& ends,
                       Runner& runner);

}  // namespace tutti::inline experiments
