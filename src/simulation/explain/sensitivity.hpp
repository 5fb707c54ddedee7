// Finds changes that make a run shorter. The run is simulated again on machines, each of which is
// improved in one respect.
#pragma once

#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "src/simulation/explain/time_account.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace simulation {

struct Improvement {
  std::string what;     // "twice the bandwidth of the leaf up-links"
  std::string what_if;  // value of --what-if for this change: "bw(leaf up-links)*2"
  double simulated_s = 0;
  // time saved, as a share of the time without the change; negative if the run gets longer
  double saved = 0;
  // Uncertainty of the saved time due to tie-breaking, in seconds and in either direction: half the
  // range of the time without the change, plus half the range with the change. 0 if ties were not
  // checked.
  double ties_s = 0;
  // true: the ranges of the time with and without the change overlap, so ties may explain the
  // difference
  bool within_ties = false;
};

struct Improvements {
  double simulated_s = 0;          // time without changes
  std::vector<Improvement> found;  // best first; equal ones in the order in which they were tried
};

// Names of classes of links. `known` is true if the platform has each of these classes; false if it
// may lack some of them.
struct LinkClasses {
  std::vector<std::string> names;
  bool known = false;
};
// Returns the classes of links that ranks of the machine may use. If only SimGrid knows the links
// of the platform, returns classes that it may have.
[[nodiscard]] LinkClasses link_classes(const Machine& machine);

// Tries these changes: twice the bandwidth of each class of links, one class at a time, and of both
// classes between two levels of a fat tree (up and down) together; half the latency; twice the
// speed of reductions; half the price of copies; one more port; no sharing of links; other
// placements of ranks. Omits changes that do not apply to the engine or the machine. Each change
// takes one run, plus the repeats and the runs to check for ties that the machine asks for; with
// repeats, the median counts. Throws UserError as a run does.
[[nodiscard]] Improvements what_would_help(const Algorithm& algorithm, const Problem& problem,
                                           const Machine& machine);
// Does the same for a run that was already simulated on `machine`, with its schedule. Does not
// simulate changes that cannot have an effect, such as another port if no operation waited for
// one. Small runs are simulated on several threads. If the run's account is given, also tries the
// parameters of the message model that appear in it: half of each time, twice each rate.
[[nodiscard]] Improvements what_would_help(const Simulation& run, const Machine& machine,
                                           const TimeAccount* account = nullptr);

}}  // namespace tutti::simulation
