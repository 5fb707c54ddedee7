#include "src/experiments/compare/tie_runs.hpp"

#include <algorithm>

namespace tutti { inline namespace experiments {

std::vector<std::size_t> leaders_to_run_again(std::span<const LeaderTime> times) {
  std::vector<double> two;
  for (const LeaderTime& time : times) {
    two.push_back(time.seconds);
  }
  std::vector<std::size_t> leaders;
  if (two.empty()) {
    return leaders;
  }
  const std::size_t second = std::min<std::size_t>(1, two.size() - 1);
  std::nth_element(two.begin(), two.begin() + static_cast<std::ptrdiff_t>(second), two.end());
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].may_tie && times[i].seconds <= (1 + kNearSecond) * two[second]) {
      leaders.push_back(i);
    }
  }
  return leaders;
}

bool may_tie(const CaseRun& run) {
  const RunResult* const result = run.outcome.result();
  if (run.ties || result == nullptr || result->ties.runs > 0 || !result->waited) {
    return false;
  }
  // Jitter and message models make times vary, so that no two operations become ready at the same
  // instant.
  const Machine& machine = *run.machine;
  const TieProbe probe = default_tie_probe(machine);
  return probe.runs > 0 && result->ops <= probe.most_ops && machine.files.messages == nullptr &&
         machine.setup.disturbance.jitter == 0;
}

void run_leaders_again(std::vector<CaseRun>& runs, const std::vector<std::size_t>& ends,
                       Runner& runner) {
  for (;;) {
    std::vector<std::size_t> places;
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      std::vector<LeaderTime> times;
      std::vector<std::size_t> whose;
      for (; first < end; ++first) {
        if (const RunResult* const result = runs[first].outcome.result()) {
          times.push_back({result->time().seconds, may_tie(runs[first])});
          whose.push_back(first);
        }
      }
      for (const std::size_t leader : leaders_to_run_again(times)) {
        places.push_back(whose[leader]);
      }
    }
    if (places.empty()) {
      return;
    }
    std::vector<CaseRun> again;
    for (const std::size_t place : places) {
      runs[place].ties = true;
      again.push_back({runs[place], {}, runs[place].between});
      again.back().known_total_s = runs[place].outcome.result()->simulated_s;
    }
    runner.run(again, "trying other orders of ties", Runner::KnownCases::so_far);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (const RunResult* const result = again[i].outcome.result()) {
        runs[places[i]].outcome.result()->ties = result->ties;
      }
    }
  }
}

}}  // namespace tutti::experiments
