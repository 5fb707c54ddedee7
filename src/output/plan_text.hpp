// Plans of benchmark runs for a fit: as text, as JSON, and as the file of --output.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/fit/plan.hpp"
#include "src/experiments/fit/plan_candidates.hpp"
#include "src/experiments/points/benchmark_point.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

struct PlanReport {
  FitPlan plan;
  double most_s = 0;           // time that the user has
  std::size_t candidates = 0;  // number of runs to choose from
  // The benchmark of each run in plan.runs, how many ranks each of its hosts has, and how the
  // library is forced to run it; empty if it cannot be.
  std::vector<BenchmarkPoint> points;
  std::vector<std::uint32_t> ranks_per_host;
  std::vector<std::optional<ForcedRun>> forced;
  bool has_script = false;  // true if --output writes a script
  std::string next;         // the command that fits the parameters to the measured times
};

// Returns the names of the parameters that the runs determine, separated by commas.
[[nodiscard]] std::string determined_parameters(const FitPlan& plan);

void print_plan(const PlanReport& report, std::ostream& out);
extern const DocumentOf<PlanReport> kPlanDocument;
// Writes a shell script that runs the benchmarks, with mpirun or srun, spreads the ranks of a host
// over its sockets, and records the settings in the environment. The output of each run goes to a
// file, such as run4711.1.txt for the first one in job 4711, with a line that says which algorithm
// ran and in which job, so that `tutti fit` reads it.
void write_plan_script(const PlanReport& report, std::ostream& out);
// Writes the points with their measured times as comma-separated values, for `tutti fit`.
void write_plan_points(const PlanReport& report, std::ostream& out);

}}  // namespace tutti::output
