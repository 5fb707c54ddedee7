#include "base/stopwatch.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti { inline namespace simulation { namespace engines {

namespace {

// Runs the engine with the same alpha, beta and gamma for every pair of ranks.
EngineRun run_described(const Schedule& schedule, const Machine& machine,
                        const MachineFacts& facts) {
  EngineRun run;
  run.machine = facts;
  const Stopwatch watch;
  CriticalPathEngine engine(facts.prices);
  RunSetup setup = machine.setup;
  const auto total_s = [&](const RunSetup& each) {
    return engine.run_total(schedule, each).total_s;
  };
  if (const auto& known_total_s = setup.ties.known_total_s) {
    run.ties = look_for_ties(setup, schedule.size(), *known_total_s, true, total_s);
    return run;
  }
  run.repeats = repeat_runs(setup, total_s);
  run.timeline = engine.run(schedule, setup);
  run.simulate_s = watch.seconds();
  run.ties =
      look_for_ties(setup, schedule.size(), run.timeline.total_s, run.timeline.waited, total_s);
  return run;
}

EngineRun run_critical_path(const Schedule& schedule, const Machine& machine,
                            const MachineFacts* facts) {
  if (facts != nullptr) {
    return run_described(schedule, machine, *facts);
  }
  const Stopwatch watch;
  const MachineFacts found = describe(machine);
  const double load_s = watch.seconds();
  EngineRun done = run_described(schedule, machine, found);
  done.load_s = load_s;
  return done;
}

}  // namespace

extern const EngineType critical_path{
    .name = "critical-path",
    .idea = "alpha, beta and gamma alone",
    .in_words = "alpha, beta and gamma alone",
    .version = 3,
    .has_network = false,
    .moves_starts = true,
    .all_alike = [](const Machine&) { return true; },
    .run = run_critical_path,
};

}}}  // namespace tutti::simulation::engines
