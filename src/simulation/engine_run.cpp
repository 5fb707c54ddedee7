#include "src/simulation/engine_run.hpp"

#include <algorithm>
#include <cmath>

#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/simgrid_run.hpp"
#include "src/simulation/switch_places.hpp"

namespace tutti::inline simulation {

namespace {

Machine with_work(Machine machine, const LibraryWork& work) {
  machine.library_work = work;
  return machine;
}

}  // namespace

EngineComparison compare_engines(const Timeline& flow, const Timeline& simgrid,
                                 double simgrid_wall_s, double tolerance) {
  EngineComparison result;
  result.simgrid_total_s = simgrid.total_s;
  result.simgrid_wall_s = simgrid_wall_s;
  result.tolerance = tolerance;
  const double total_s = std::max(flow.total_s, simgrid.total_s);
  if (total_s == 0) {
    return result;
  }
  for (std::size_t id = 0; id < flow.start_s.size(); ++id) {
    for (const double off : {std::abs(flow.start_s[id] - simgrid.start_s[id]) / total_s,
                             std::abs(flow.end_s[id] - simgrid.end_s[id]) / total_s}) {
      if (!(off <= result.worst)) {
        result.worst = off;
        result.op = static_cast<OpId>(id);
      }
      if (std::isnan(off)) {  // NaN: the engines disagree, whatever the other differences are
        return result;
      }
    }
  }
  return result;
}

EngineRun run_engine(const Schedule& schedule, const Machine& machine, const MachineFacts* facts) {
  check_switches(schedule, machine);
  EngineRun run = machine.engine->run(schedule, machine, facts);
  if (machine.both_engines()) {
    const EngineRun judge = run_with_simgrid(schedule, machine);
    run.comparison = compare_engines(run.timeline, judge.timeline, judge.simulate_s,
                                     machine.spec.engine_tolerance);
  }
  return run;
}

RunEngine engine_of(const Machine& machine, const MachineFacts* facts) {
  return {.run =
              [&machine, facts](const Schedule& schedule, const Machine& asked) {
                return machine.files.messages
                           ? run_engine(schedule, with_work(machine, asked.library_work), facts)
                           : run_engine(schedule, machine, facts);
              },
          .run_symmetric = machine.engine->symmetric(machine)};
}

}  // namespace tutti::inline simulation
