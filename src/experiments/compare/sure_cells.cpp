#include "src/experiments/compare/sure_cells.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/messages.hpp"
#include "base/parallel.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/model_uncertainty.hpp"
#include "src/simulation/run_result.hpp"
#include "src/simulation/time_range.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr double kFarFromBest = 2;  // slower runs are left out

// Leaves the runs that are compared: the best, and the others in rising order of their times.
void keep_leaders(RunsOfCell& cell) {
  const double best_s = std::ranges::find(cell.runs, cell.best, &RunInCell::contender)->seconds;
  std::erase_if(cell.runs,
                [&](const RunInCell& each) { return each.seconds > kFarFromBest * best_s; });
  std::ranges::stable_sort(cell.runs, {}, [&](const RunInCell& each) {
    return std::pair(each.contender != cell.best, each.seconds);
  });
}

// True if both take the same time with all models, as the same schedule does under two names.
bool are_alike(const UncertainTime& a, const UncertainTime& b) {
  constexpr double kRounding = 1e-6;
  return !differs(a.seconds, b.seconds) &&
         std::ranges::equal(a.changes, b.changes, [](double change, double other) {
           return std::fabs(change - other) <= kRounding;
         });
}

SureCell sure_cell(RunsOfCell cell, const MovedModels& models, double point_spread, double level) {
  keep_leaders(cell);
  std::vector<std::size_t> contenders;
  std::vector<UncertainTime> times;
  for (const RunInCell& each : cell.runs) {
    UncertainTime time = uncertain_time(models, each.run);
    if (std::ranges::none_of(times, [&](const auto& other) { return are_alike(time, other); })) {
      contenders.push_back(each.contender);
      times.push_back(std::move(time));
    }
  }
  const std::vector<double> chances = chances_of_good_choice(times, point_spread);
  SureCell found{cell.rank_index, cell.bytes, cell.best, chances.front(), true, {}};
  found.sure = found.chance >= level;
  for (std::size_t k = 0; k < contenders.size() && !found.sure; ++k) {
    if (k <= 1 || chances[k] >= 1 - level) {
      found.may_be_best.push_back(contenders[k]);
    }
  }
  return found;
}

}  // namespace

std::size_t SureChoices::sure() const {
  return static_cast<std::size_t>(std::ranges::count_if(cells, &SureCell::sure));
}

void check_sure(const Machine& machine) {
  (void)uncertainty_of(machine);
  if (machine.spec.disturbance.repeat > 1) {
    throw UserError("$sure: needs one run of each algorithm; leave out $repeat");
  }
}

SureChoices sure_choices(std::size_t cells, const std::function<RunsOfCell(std::size_t)>& cell,
                         const Machine& machine, double level, std::size_t jobs,
                         Messages& messages) {
  const ModelUncertainty& uncertainty = uncertainty_of(machine);
  const MovedModels models = moved_models(*machine.files.messages, uncertainty);
  Progress progress("simulating with other parameters", "cell", cells, messages);
  const ParallelWork work{
      .jobs = jobs,
      .expected_work = [](std::size_t c) { return static_cast<double>(c); },  // ranks increase
      .progress = [&](std::size_t done) { progress.show(done); }};
  return {level, map_parallel(cells, work, [&](std::size_t c) {
            return sure_cell(cell(c), models, uncertainty.point_spread, level);
          })};
}

SureChoices sure_choices(const Comparison& comparison, const WinnerMap& winners, double level,
                         std::size_t jobs, Messages& messages) {
  std::vector<std::pair<std::size_t, std::size_t>> cells;
  for (std::size_t rank = 0; rank < winners.ranks().size(); ++rank) {
    for (std::size_t size = 0; size < winners.sizes().size(); ++size) {
      if (winners.shown(rank, size)) {
        cells.emplace_back(rank, size);
      }
    }
  }
  const auto runs_of = [&](std::size_t c) {
    const auto [rank, size] = cells[c];
    const std::size_t rank_index = winners.ranks()[rank];
    const std::size_t size_index = winners.sizes()[size];
    RunsOfCell cell{static_cast<std::uint32_t>(rank_index),
                    comparison.sizes_bytes[size_index],
                    *winners.shown(rank, size),
                    {}};
    for (std::size_t i = 0; i < comparison.contenders.size(); ++i) {
      const CaseRun& run = comparison.run(rank_index, size_index, i);
      if (const RunResult* const result = run.outcome.result()) {
        cell.runs.push_back(
            {i, result->time().seconds, {run.algorithm, result->problem, run.machine}});
      }
    }
    return cell;
  };
  return sure_choices(cells.size(), runs_of, comparison.machines.front(), level, jobs, messages);
}

}}  // namespace tutti::experiments
