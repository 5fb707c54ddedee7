#include "src/experiments/points/point_runs.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "src/experiments/points/predicted_time.hpp"
#include "src/simulation/outcome.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti::inline experiments {

namespace {

// Cases for one runner. A runner that uses processes accepts only cases with the same platform. A
// runner that uses threads, or a sweep, accepts any cases.
struct RunnerCases {
  std::vector<CaseRun> cases;
  std::vector<std::size_t> places;
};

}  // namespace

PointRuns run_points(const std::vector<BenchmarkPoint>& points,
                     const std::vector<std::size_t>& places, PointMachines& machines,
                     std::optional<std::uint32_t> ranks_per_host, const SweepOptions& sweep,
                     std::size_t jobs, std::ostream& err) {
  // Machines whose platforms are loaded by processes. The first entry, null, is for the cases that
  // run in threads or in a sweep.
  std::vector<const Machine*> loaded{nullptr};
  std::map<std::size_t, RunnerCases> groups;  // the key is an index into `loaded`
  for (const std::size_t i : places) {
    Problem problem = problem_of(points[i], ranks_per_host);
    const Machine& machine = machines.of(points[i], problem);
    std::size_t which = 0;
    if (runs_on_simgrid_platform(machine) && !sweep.database) {
      which = static_cast<std::size_t>(std::find(loaded.begin(), loaded.end(), &machine) -
                                       loaded.begin());
      loaded.resize(std::max(loaded.size(), which + 1), &machine);
    }
    RunnerCases& group = groups[which];
    group.cases.push_back({{points[i].algorithm, std::move(problem), &machine}, {}});
    group.places.push_back(i);
  }
  PointRuns runs;
  runs.predicted_s.resize(points.size());
  runs.why_not.resize(points.size());
  for (auto& [which, group] : groups) {
    const auto runner = runner_for(sweep, Waves::one, *group.cases.front().machine, jobs, err);
    runner->run(group.cases, "simulating");
    runs.lost = runner->sum_up() || runs.lost;
    for (std::size_t k = 0; k < group.cases.size(); ++k) {
      const Outcome& outcome = group.cases[k].outcome;
      if (const RunResult* const result = outcome.result()) {
        runs.predicted_s[group.places[k]] = predicted_s(*result);
      } else {
        runs.why_not[group.places[k]] = outcome.why_not();
      }
    }
  }
  return runs;
}

}  // namespace tutti::inline experiments
