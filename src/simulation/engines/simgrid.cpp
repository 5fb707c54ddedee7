#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace simulation { namespace engines {

extern const EngineType simgrid{
    .name = "simgrid",
    .idea = "the network simulated by SimGrid",
    .in_words = "every message simulated on the network",
    .version = 3,
    .by_simgrid = true,
    .needs_simgrid = [](const Machine&) { return true; },
    .all_alike = [](const Machine&) { return true; },
    .run = [](const Schedule& schedule, const Machine& machine,
              const MachineFacts*) { return run_with_simgrid(schedule, machine); },
};

}}}  // namespace tutti::simulation::engines
