#include "src/simulation/critical_chain.hpp"

#include <algorithm>

namespace tutti::inline simulation {

namespace {

// A time below this share of the total time is a rounding error, which comes from sums of
// differences and from the engine's clock.
constexpr double kRounding = 1e-9;

void move_rounding(Spent& spent, Spending from, Spending to, double total_s) {
  if (spent[from] <= kRounding * total_s) {
    spent[to] = std::max(0.0, spent[to] + spent[from]);
    spent[from] = 0;
  }
}

}  // namespace

CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                             const OwnTimes& own_times, const RunSetup& setup,
                             double run_starts_s) {
  CriticalChain chain{walk_chain(schedule, timeline, setup, own_times), {}};
  Spent& spent = chain.spent;
  double before_s = 0;
  for (const ChainStep& step : chain.steps) {
    const double start_s = std::clamp(run_starts_s, before_s, std::max(before_s, step.from_s));
    spent[Spending::start_of_run] += start_s - before_s;
    spent[Spending::lateness] += step.from_s - start_s;
    const Op& op = schedule.op(step.op);
    const double duration_s = step.until_s - step.from_s;
    if (op.is_comm() && step.from_s > timeline.start_s[step.op]) {
      spent[Spending::startup] += duration_s;  // work of a late receiver on the message
    } else {
      spent_by(op, duration_s, own_times(step.op, op)).each([&](Spending on, double seconds) {
        spent[on] += seconds;
      });
    }
    before_s = step.until_s;
  }
  move_rounding(spent, Spending::sharing, Spending::transfer, timeline.total_s);
  move_rounding(spent, Spending::cores, Spending::reduction, timeline.total_s);
  move_rounding(spent, Spending::lateness, Spending::startup, timeline.total_s);
  return chain;
}

}  // namespace tutti::inline simulation
