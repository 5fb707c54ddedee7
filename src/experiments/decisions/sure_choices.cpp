#include "src/experiments/decisions/sure_choices.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/messages.hpp"
#include "src/experiments/decisions/decision.hpp"

namespace tutti { inline namespace experiments {

void check_sure(const Decision& decision) {
  if (decision.by != TimedBy::simulation) {
    throw UserError(
        fmt::format("$sure: needs simulated times; leave out $by={}", name(decision.by)));
  }
  if (decision.placements() > 1) {
    throw UserError("$sure: compares times of one placement; leave out $placements");
  }
  check_sure(decision.machines.front());
}

SureChoices sure_choices(const Decision& decision, double level, std::size_t jobs,
                         Messages& messages) {
  std::vector<const TimedCell*> cells;
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      if (cell.on_grid && cell.best()) {
        cells.push_back(&cell);
      }
    }
  }
  const auto runs_of = [&](std::size_t c) {
    const TimedCell& cell = *cells[c];
    RunsOfCell found{cell.rank_index, cell.bytes, *cell.best(), {}};
    for (std::size_t i = 0; i < cell.times.size(); ++i) {
      if (!cell.times[i].timed()) {
        continue;
      }
      const Candidate& candidate = decision.candidates[i];
      Case run = first_look(candidate, decision.ranks[cell.rank_index], cell.bytes);
      run.machine = &decision.machines[cell.rank_index];
      if (candidate.cuts && cell.bytes > 0) {
        const std::uint64_t segment_bytes = cell.times[i].segment_bytes;
        run.problem.segment_bytes = segment_bytes == 0 ? cell.bytes : segment_bytes;
      }
      found.runs.push_back({i, cell.times[i].seconds, std::move(run)});
    }
    return found;
  };
  return sure_choices(cells.size(), runs_of, decision.machines.front(), level, jobs, messages);
}

}}  // namespace tutti::experiments
