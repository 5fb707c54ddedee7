// What would make a run shorter, found by simulating it again on machines that are better in one
// thing each.
#pragma once

#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

struct Improvement {
  std::string what;     // "twice the bandwidth of the leaf up-links"
  std::string what_if;  // the same for --what-if: "bw(leaf up-links)*2"
  double simulated_s = 0;
  double saved = 0;  // share of the time now; below 0 where it does harm
  // By so much, up or down, that hangs on ties: half of the range of the time now, and half of that
  // of the changed one. 0 where nobody looked.
  double ties_s = 0;
  bool within_ties = false;  // the two ranges meet: who goes first may change as much
};

struct Improvements {
  double simulated_s = 0;          // now
  std::vector<Improvement> found;  // best first; of equals, in the order in which they were tried
};

// Tried are: twice the bandwidth of each class of links, one class at a time, and of the links up
// and down between two levels of a fat tree together; half the latency; twice the speed of
// reductions; half the price of copies; one more port; no sharing of links; ranks placed otherwise.
// What the engine or the machine has no part for is left out. Each is one run or, where the machine
// asks for repeats, the median of them, and those that the machine asks for to look for ties.
// Throws UserError as a run does.
[[nodiscard]] Improvements what_would_help(const Algorithm& algorithm, const Problem& problem,
                                           const Machine& machine);
[[nodiscard]] Improvements what_would_help(const Schedule& schedule, const Machine& machine);

}  // namespace tutti::inline simulation
