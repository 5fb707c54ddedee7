#include "src/experiments/decisions/sure_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/model_uncertainty.hpp"
#include "src/simulation/time_range.hpp"

namespace tutti::inline experiments {

namespace {

constexpr double kFarFromBest = 2;  // slower candidates are left out

// Returns the candidates that are compared, in rising order of their times. The first is the best.
std::vector<std::size_t> leaders_of(const TimedCell& cell, std::size_t best) {
  std::vector<std::size_t> leaders;
  for (std::size_t i = 0; i < cell.times.size(); ++i) {
    if (cell.times[i].timed() && cell.times[i].seconds <= kFarFromBest * cell.times[best].seconds) {
      leaders.push_back(i);
    }
  }
  std::ranges::stable_sort(leaders, [&](std::size_t a, std::size_t b) {
    return cell.times[a].seconds < cell.times[b].seconds ||
           (a == best && b != best && cell.times[a].seconds == cell.times[b].seconds);
  });
  return leaders;
}

SureCell sure_cell(const Decision& decision, const TimedCell& cell, std::size_t best,
                   const MovedModels& models, double level) {
  const Machine& machine = decision.machines[cell.rank_index];
  SureCell found;
  found.rank_index = cell.rank_index;
  found.bytes = cell.bytes;
  found.best = best;
  const std::vector<std::size_t> leaders = leaders_of(cell, best);
  std::vector<UncertainTime> times;
  for (const std::size_t i : leaders) {
    const Candidate& candidate = decision.candidates[i];
    Case run = first_look(candidate.contender, decision.ranks[cell.rank_index], cell.bytes);
    run.machine = &machine;
    if (candidate.cuts && cell.bytes > 0) {
      const std::uint64_t segment_bytes = cell.times[i].segment_bytes;
      run.problem.segment_bytes = segment_bytes == 0 ? cell.bytes : segment_bytes;
    }
    times.push_back(uncertain_time(models, run));
  }
  const std::vector<double> chances =
      chances_of_good_choice(times, machine.files.uncertainty->point_spread);
  found.chance = chances.front();
  found.sure = found.chance >= level;
  for (std::size_t k = 0; k < leaders.size() && !found.sure; ++k) {
    if (k <= 1 || chances[k] >= 1 - level) {
      found.may_be_best.push_back(leaders[k]);
    }
  }
  return found;
}

}  // namespace

std::size_t SureChoices::sure() const {
  return static_cast<std::size_t>(std::ranges::count_if(cells, &SureCell::sure));
}

void check_sure(const Decision& decision) {
  if (decision.by != TimedBy::simulation) {
    throw UserError(
        fmt::format("$sure: needs simulated times; leave out $by {}", name(decision.by)));
  }
  if (decision.placements() > 1) {
    throw UserError("$sure: compares times of one placement; leave out $placements");
  }
  (void)uncertainty_of(decision.machines.front());
}

SureChoices sure_choices(const Decision& decision, double level, std::size_t jobs,
                         std::ostream& err) {
  std::vector<const TimedCell*> cells;
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      if (cell.on_grid && cell.best()) {
        cells.push_back(&cell);
      }
    }
  }
  const Machine& machine = decision.machines.front();
  const MovedModels models = moved_models(*machine.files.messages, *machine.files.uncertainty);
  SureChoices found;
  found.level = level;
  found.cells.resize(cells.size());
  std::vector<std::size_t> order(cells.size());
  std::iota(order.rbegin(), order.rend(), 0);  // cells with many ranks first
  Progress progress("simulating with other parameters", "cell", cells.size(), err);
  run_parallel(
      order, jobs,
      [&](std::size_t, std::size_t c) {
        found.cells[c] = sure_cell(decision, *cells[c], *cells[c]->best(), models, level);
      },
      [&](std::size_t done) {
        if (progress.due()) {
          progress.show(done);
        }
      });
  return found;
}

}  // namespace tutti::inline experiments
