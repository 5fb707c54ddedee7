#include "simulation/engines/engine_type.hpp"
#include "simulation/simgrid_run.hpp"

namespace tutti::inline simulation::engines {

namespace {

bool always(const Machine&) { return true; }

EngineRun run(const Schedule& schedule, const Machine& machine, const MachineFacts*) {
  return run_with_simgrid(schedule, machine);
}

}  // namespace

extern const EngineType simgrid{
    .name = "simgrid",
    .idea = "by SimGrid",
    .in_words = "every message simulated on the network",
    .version = 3,
    .by_simgrid = true,
    .needs_simgrid = always,
    .all_alike = always,
    .run = run,
};

}  // namespace tutti::inline simulation::engines
