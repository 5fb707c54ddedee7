#include "src/experiments/points/sure_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/model_uncertainty.hpp"

namespace tutti::inline experiments {

namespace {

struct DrawnPoint {
  std::size_t place = 0;
  Case what;
  std::vector<double> seconds;  // with each of the drawn models
};

std::vector<DrawnPoint> run_drawn(std::vector<DrawnPoint> drawn, std::size_t jobs,
                                  std::ostream& err) {
  std::vector<std::size_t> order(drawn.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return expected_work(drawn[a].what) > expected_work(drawn[b].what);
  });
  Progress progress("simulating with other parameters", "point", drawn.size(), err);
  run_parallel(
      order, jobs,
      [&](std::size_t, std::size_t k) {
        const Machine& machine = *drawn[k].what.machine;
        drawn[k].seconds = times_with(
            drawn_models(*machine.files.messages, *machine.files.uncertainty), drawn[k].what);
      },
      [&](std::size_t done) {
        if (progress.due()) {
          progress.show(done);
        }
      });
  return drawn;
}

}  // namespace

SurePoints sure_points(const std::vector<BenchmarkPoint>& points, const ScoreCells& cells,
                       const std::vector<std::optional<double>>& predicted_s, double level,
                       PointMachines& machines, std::optional<std::uint32_t> ranks_per_host,
                       std::size_t jobs, std::ostream& err) {
  std::vector<DrawnPoint> drawn;
  for (const ScoreCell& cell : cells.cells) {
    for (const std::size_t i : cell.points) {
      if (predicted_s[i]) {
        Problem problem = problem_of(points[i], ranks_per_host);
        const Machine& machine = machines.of(points[i], problem);
        (void)uncertainty_of(machine);
        drawn.push_back({i, {points[i].algorithm, std::move(problem), &machine}, {}});
      }
    }
  }
  drawn = run_drawn(std::move(drawn), jobs, err);
  SurePoints found;
  found.level = level;
  found.ranges.resize(points.size());
  found.chances.resize(points.size());
  auto next = drawn.begin();
  for (const ScoreCell& cell : cells.cells) {
    std::vector<std::vector<double>> seconds;
    double point_spread = 0;
    for (; next != drawn.end() && std::ranges::find(cell.points, next->place) != cell.points.end();
         ++next) {
      const ModelUncertainty& uncertainty = *next->what.machine->files.uncertainty;
      point_spread = uncertainty.point_spread;
      found.ranges[next->place] = time_range(next->seconds, uncertainty.spread(), level);
      seconds.push_back(next->seconds);
    }
    if (seconds.size() == cell.points.size()) {
      const std::vector<double> chances = chances_of_good_choice(seconds, point_spread);
      for (std::size_t k = 0; k < chances.size(); ++k) {
        found.chances[cell.points[k]] = chances[k];
      }
    }
  }
  return found;
}

}  // namespace tutti::inline experiments
