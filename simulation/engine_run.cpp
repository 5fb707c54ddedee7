#include "simulation/engine_run.hpp"

#include "base/stopwatch.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "simulation/flow_run.hpp"
#include "simulation/machine.hpp"
#include "simulation/simgrid_run.hpp"

namespace tutti {

EngineRun run_critical_path(const Schedule& schedule, const Machine& machine,
                            const MachineFacts& facts) {
  EngineRun run;
  run.machine = facts;
  const Stopwatch watch;
  CriticalPathEngine engine(facts.prices);
  run.timeline = engine.run(schedule, machine.setup);
  run.simulate_s = watch.seconds();
  run.ties = look_for_ties(
      machine.setup, schedule.size(), run.timeline.total_s, run.timeline.waited,
      [&](const RunSetup& moved) { return engine.run_total(schedule, moved).total_s; });
  run.undisturbed = true;
  return run;
}

EngineRun run_engine(const Schedule& schedule, const Machine& machine) {
  switch (machine.engine) {
    case EngineKind::critical_path: {
      const Stopwatch watch;
      const MachineFacts facts = describe(machine);
      const double load_s = watch.seconds();
      EngineRun run = run_critical_path(schedule, machine, facts);
      run.load_s = load_s;
      return run;
    }
    case EngineKind::simgrid:
      return run_with_simgrid(schedule, machine, EngineKind::simgrid);
    case EngineKind::flow:
      break;
  }
  EngineRun run = run_with_flow(schedule, machine);
  if (machine.both_engines()) {
    const EngineRun judge = run_with_simgrid(schedule, machine, EngineKind::simgrid);
    run.comparison =
        compare_engines(run.timeline, judge.timeline, judge.simulate_s, machine.tolerance);
  }
  return run;
}

RunEngine engine_of(const Machine& machine) {
  return {.run = [&machine](const Schedule& schedule) { return run_engine(schedule, machine); },
          .run_symmetric = symmetric_flow(machine)};
}

}  // namespace tutti
