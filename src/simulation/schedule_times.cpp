#include "src/simulation/schedule_times.hpp"

#include "sim/critical_path/critical_path_engine.hpp"

namespace tutti { inline namespace simulation {

ScheduleTimes times_of(const Schedule& schedule, const Algorithm& algorithm,
                       const Machine& machine) {
  ScheduleTimes times;
  times.machine = describe(machine);
  const Prices& prices = times.machine.prices;
  const Timeline timeline = CriticalPathEngine(prices).run(schedule, machine.setup);
  times.longest_path_s = timeline.total_s;
  times.chain = critical_chain(schedule, timeline, own_times_by(prices, schedule.ranks()));
  if (algorithm.exact_s != nullptr) {
    times.exact_s = algorithm.exact_s(schedule.problem(), prices);
  }
  return times;
}

}}  // namespace tutti::simulation
