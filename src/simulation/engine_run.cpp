#include "src/simulation/engine_run.hpp"

#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/simgrid_run.hpp"
#include "src/simulation/switch_places.hpp"

namespace tutti::inline simulation {

namespace {

SymmetricRunner symmetric_of(const Machine& machine) {
  return machine.engine->symmetric != nullptr ? machine.engine->symmetric(machine)
                                              : SymmetricRunner();
}

Machine with_work(Machine machine, const LibraryWork& work) {
  machine.library_work = work;
  return machine;
}

}  // namespace

EngineRun run_engine(const Schedule& schedule, const Machine& machine) {
  check_switches(schedule, machine);
  EngineRun run = machine.engine->run(schedule, machine, nullptr);
  if (machine.both_engines()) {
    const EngineRun judge = run_with_simgrid(schedule, machine);
    run.comparison = compare_engines(run.timeline, judge.timeline, judge.simulate_s,
                                     machine.spec.engine_tolerance);
  }
  return run;
}

RunEngine engine_of(const Machine& machine) {
  return {.run =
              [&machine](const Schedule& schedule, const Machine& asked) {
                return machine.files.messages
                           ? run_engine(schedule, with_work(machine, asked.library_work))
                           : run_engine(schedule, machine);
              },
          .run_symmetric = symmetric_of(machine)};
}

RunEngine engine_here(const Machine& machine, const MachineFacts* facts) {
  return {.run =
              [&machine, facts](const Schedule& schedule, const Machine& asked) {
                check_switches(schedule, machine);
                return machine.files.messages
                           ? machine.engine->run(schedule, with_work(machine, asked.library_work),
                                                 facts)
                           : machine.engine->run(schedule, machine, facts);
              },
          .run_symmetric = symmetric_of(machine)};
}

}  // namespace tutti::inline simulation
