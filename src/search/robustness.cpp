#include "src/search/robustness.hpp"

#include "src/simulation/engine_run.hpp"

namespace tutti { inline namespace search {

RangedTime time_over_ties(const Schedule& schedule, const Machine& machine) {
  constexpr std::uint32_t kTieRuns = 8;
  Machine own = machine;
  own.record = {.message_ends = false};
  own.setup.ties = {.runs = kTieRuns};
  const EngineRun run = run_engine(schedule, own);
  const TieRange& ties = run.ties;
  return ties.runs == 0
             ? RangedTime{run.timeline.total_s, 0, 0}
             : RangedTime{ties.median_s, ties.median_s - ties.least_s, ties.most_s - ties.median_s};
}

Robustness robustness_of(const Schedule& found, const Schedule& known, const Machine& machine) {
  Robustness result{.found = time_over_ties(found, machine),
                    .known = time_over_ties(known, machine)};
  Machine shaken = machine;
  shaken.record = {.message_ends = false};
  shaken.setup.ties = {};
  shaken.setup.disturbance.jitter = Robustness::kJitter;
  for (std::uint32_t run = 0; run < Robustness::kRuns; ++run) {
    shaken.setup.disturbance.seed = run + 1;
    result.ahead +=
        run_engine(found, shaken).timeline.total_s < run_engine(known, shaken).timeline.total_s ? 1
                                                                                                : 0;
  }
  return result;
}

}}  // namespace tutti::search
