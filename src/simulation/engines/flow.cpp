#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/flow_run.hpp"

namespace tutti { inline namespace simulation { namespace engines {

namespace {

// True if the machine is the built-in crossbar, with one rank on each host.
bool all_alike(const Machine& machine) {
  return flow_runs_on_crossbar(machine) && machine.mapping.ranks_per_host == 1 &&
         plain_crossbar(machine);
}

}  // namespace

extern const EngineType flow{
    .name = "flow",
    .idea = "the network simulated with SimGrid's model, but faster",
    .in_words = "every message simulated on the network, with SimGrid's model",
    .version = 3,
    .counts_links = true,
    .moves_starts = true,
    .lacks = flow_refusal,
    .needs_simgrid = flow_needs_simgrid,
    .all_alike = all_alike,
    .run = [](const Schedule& schedule, const Machine& machine,
              const MachineFacts*) { return run_with_flow(schedule, machine); },
    .symmetric = symmetric_flow,
};

}}}  // namespace tutti::simulation::engines
