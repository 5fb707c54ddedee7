// Tells if one schedule stays faster than another when times vary and ties are broken in other
// ways.
#pragma once

#include <cstdint>

#include "schedules/schedule.hpp"
#include "sim/ties.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace search {

struct Robustness {
  static constexpr double kJitter = 0.01;
  static constexpr std::uint32_t kRuns = 25;
  // Number of runs, of kRuns runs with different random times, in which the schedule is faster.
  std::uint32_t ahead = 0;
  // The range of times of both schedules over orders of ties.
  RangedTime found;
  RangedTime known;

  // True if the schedule is faster for every order of ties.
  [[nodiscard]] bool ahead_of_ties() const {
    return found.seconds + found.above_s < known.seconds - known.below_s;
  }
  // True if the schedule is also faster in every run.
  [[nodiscard]] bool stays_ahead() const { return ahead == kRuns && ahead_of_ties(); }
};

// Returns the time of a schedule, the median over orders of ties, as 'tutti decide' takes it, and
// its range.
[[nodiscard]] RangedTime time_over_ties(const Schedule& schedule, const Machine& machine);

[[nodiscard]] Robustness robustness_of(const Schedule& found, const Schedule& known,
                                       const Machine& machine);

}}  // namespace tutti::search
