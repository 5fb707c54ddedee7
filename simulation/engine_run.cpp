#include "simulation/engine_run.hpp"

#include "simulation/engines/engine_type.hpp"
#include "simulation/simgrid_run.hpp"
#include "simulation/switch_places.hpp"

namespace tutti {

namespace {

SymmetricRunner symmetric_of(const Machine& machine) {
  return machine.engine->symmetric != nullptr ? machine.engine->symmetric(machine)
                                              : SymmetricRunner();
}

}  // namespace

EngineRun run_engine(const Schedule& schedule, const Machine& machine) {
  check_switches(schedule, machine);
  EngineRun run = machine.engine->run(schedule, machine, nullptr);
  if (machine.both_engines()) {
    const EngineRun judge = run_with_simgrid(schedule, machine);
    run.comparison =
        compare_engines(run.timeline, judge.timeline, judge.simulate_s, machine.tolerance);
  }
  return run;
}

RunEngine engine_of(const Machine& machine) {
  return {.run = [&machine](const Schedule& schedule) { return run_engine(schedule, machine); },
          .run_symmetric = symmetric_of(machine)};
}

RunEngine engine_here(const Machine& machine, const MachineFacts* facts) {
  return {.run =
              [&machine, facts](const Schedule& schedule) {
                check_switches(schedule, machine);
                return machine.engine->run(schedule, machine, facts);
              },
          .run_symmetric = symmetric_of(machine)};
}

}  // namespace tutti
