// How long a schedule takes on a machine, and what the formulas say.
//
//     const tutti::Run run = tutti::simulate(schedule, {.platform = "fat_tree.xml"});
//     std::printf("%.3f us, of which the last message takes %.3f\n", 1e6 * run.total_s,
//                 1e6 * (run.end_s[last] - run.start_s[last]));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/machine.hpp"
#include "tutti/schedule.hpp"

TUTTI_BEGIN

// A formula that somebody published, where it holds for the schedule's problem.
struct Formula {
  std::string text;    // "2 lg p alpha + 2 (p-1)/p n beta + (p-1)/p n gamma"
  std::string source;  // who and where
  double seconds = 0;
};

struct Run {
  double total_s = 0;           // from the start of the collective until its last operation ends
  std::vector<double> start_s;  // by operation, from the same start
  std::vector<double> end_s;
  std::string engine;  // the one that ran

  double alpha_s = 0;  // the prices of formulas: of the platform's slowest route and host
  double beta_s_per_byte = 0;
  double gamma_s_per_byte = 0;
  std::optional<double> exact_s;   // of the algorithm's closed form, where one is known
  std::vector<Formula> published;  // misprints left out
};

// Throws Error for a platform that cannot be read, for ranks that do not fit, and where an engine
// does not model what the machine asks for. The same arguments give the same digits.
[[nodiscard]] Run simulate(const Schedule& schedule, const Machine& machine);

TUTTI_END
