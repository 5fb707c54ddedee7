#include "src/experiments/points/sure_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/messages.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/experiments/runner/work_estimate.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/model_uncertainty.hpp"

namespace tutti { inline namespace experiments {

namespace {

struct UncertainPoint {
  std::size_t place = 0;
  Case what;
  double predicted_s = 0;
  UncertainTime time;
};

void find_times(std::vector<UncertainPoint>& points, std::size_t jobs, Messages& messages) {
  WorkEstimate estimate;
  for (std::size_t k = 0; k < points.size(); ++k) {
    estimate.add(k, points[k].what);
  }
  Progress progress("simulating with other parameters", "point", points.size(), messages);
  const auto show = [&](std::size_t done) {
    if (progress.due()) {
      progress.show(done, estimate.done());
    }
  };
  const auto work_of = [&](std::size_t k) { return expected_work(points[k].what); };
  for_each_parallel(points.size(), {jobs, work_of, show}, [&](std::size_t k) {
    const Stopwatch watch;
    estimate.begin(k);
    UncertainPoint& point = points[k];
    const MachineFiles& files = point.what.machine->files;
    point.time = uncertain_time(moved_models(*files.messages, *files.uncertainty), point.what,
                                point.predicted_s);
    estimate.end(k, watch.seconds());
  });
}

}  // namespace

SurePoints sure_points(const std::vector<BenchmarkPoint>& points, const ScoreCells& cells,
                       const std::vector<std::optional<double>>& predicted_s, double level,
                       PointMachines& machines, std::optional<std::uint32_t> ranks_per_host,
                       std::size_t jobs, Messages& messages) {
  std::vector<UncertainPoint> uncertain;
  for (const ScoreCell& cell : cells.cells) {
    for (const std::size_t i : cell.points) {
      if (predicted_s[i]) {
        Problem problem = problem_of(points[i], ranks_per_host);
        const Machine& machine = machines.of(points[i], problem);
        (void)uncertainty_of(machine);
        uncertain.push_back(
            {i, {points[i].algorithm, std::move(problem), &machine}, *predicted_s[i], {}});
      }
    }
  }
  find_times(uncertain, jobs, messages);
  SurePoints found;
  found.level = level;
  found.ranges.resize(points.size());
  found.chances.resize(points.size());
  auto next = uncertain.begin();
  for (const ScoreCell& cell : cells.cells) {
    std::vector<UncertainTime> times;
    double point_spread = 0;
    for (; next != uncertain.end() &&
           std::ranges::find(cell.points, next->place) != cell.points.end();
         ++next) {
      const ModelUncertainty& uncertainty = *next->what.machine->files.uncertainty;
      point_spread = uncertainty.point_spread;
      found.ranges[next->place] = time_range(next->time, uncertainty.spread(), level);
      times.push_back(next->time);
    }
    if (times.size() == cell.points.size()) {
      const std::vector<double> chances = chances_of_good_choice(times, point_spread);
      for (std::size_t k = 0; k < chances.size(); ++k) {
        found.chances[cell.points[k]] = chances[k];
      }
    }
  }
  return found;
}

}}  // namespace tutti::experiments
