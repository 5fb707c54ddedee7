// Simulates a schedule on a machine, and evaluates cost formulas for it.
//
//     const tutti::Run run = tutti::simulate(schedule, {.platform = "fat_tree.xml"});
//     std::printf("%.3f us, of which the last message takes %.3f\n", 1e6 * run.total_s,
//                 1e6 * (run.end_s[last] - run.start_s[last]));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tutti/machine.hpp"
#include "tutti/schedule.hpp"

TUTTI_BEGIN

// A published cost formula that holds for the schedule's problem.
struct Formula {
  std::string text;    // "2 lg p alpha + 2 (p-1)/p n beta + (p-1)/p n gamma"
  std::string source;  // author and publication
  double seconds = 0;
};

// Total times of a run under different orders of operations that are ready at the same instant.
struct Ties {
  std::uint32_t runs = 0;  // number of runs with tiny random delays
  double least_s = 0;
  double median_s = 0;
  double most_s = 0;
  bool matter = false;  // true if the range is wide; the median is then the fairer result
};

struct Run {
  // Time from the start of the collective to the end of its last operation.
  double total_s = 0;
  // Start and end of each operation, in seconds after the start of the collective.
  std::vector<double> start_s;
  std::vector<double> end_s;
  std::string engine;  // name of the engine that computed the times
  // Empty if no operation waited for a port or a core, if the schedule is too large to run several
  // times, or if the engine cannot delay operations.
  std::optional<Ties> ties;

  // Values of alpha, beta and gamma in the formulas. A value that is not set in Machine is derived
  // from the platform's slowest route or slowest host.
  double alpha_s = 0;
  double beta_s_per_byte = 0;
  double gamma_s_per_byte = 0;
  std::optional<double> exact_s;   // time by the algorithm's closed form; empty if none is known
  std::vector<Formula> published;  // excludes formulas that are misprinted in their source
};

// Simulates `schedule` on `machine`. Throws Error if the platform cannot be read, if the ranks do
// not fit on it, or if the engine cannot model the machine. The same arguments always give
// identical results.
[[nodiscard]] Run simulate(const Schedule& schedule, const Machine& machine);
[[nodiscard]] Run simulate(const Schedule& schedule, const OpenMachine& machine);

TUTTI_END
