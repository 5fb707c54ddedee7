#include "src/simgrid_run.hpp"

#include "schedules/error.hpp"
#include "src/flow_run.hpp"

#if TUTTI_WITH_SIMGRID
#include "sim/simgrid/isolated_run.hpp"
#endif

namespace tutti {

#if TUTTI_WITH_SIMGRID

namespace {

SimGridConfig config_of(const Machine& machine) {
  SimGridConfig config;
  config.platform = machine.source;
  config.network_model = machine.network_model;
  config.ranks_per_host = machine.mapping.ranks_per_host;
  config.placement = machine.mapping.placement;
  config.element_bytes = machine.element_bytes;
  config.overrides = machine.overrides;
  config.copy_s_per_byte = machine.copy_s_per_byte;
  config.link_statistics = machine.link_statistics;
  // Only where links stay as they are, since pointing one out sets its bandwidth.
  if (machine.network_model == "hockney" && !flow_refusal(machine)) {
    config.updates = Updates::pointed_out;
  }
  return config;
}

MachineFacts facts_of(const SimGridResult& result, const Machine& machine) {
  MachineFacts facts{result.facts, result.prices};
  facts.prices.copy_s_per_byte = machine.copy_s_per_byte;
  return facts;
}

}  // namespace

EngineRun run_with_simgrid(const Schedule& schedule, const Machine& machine, EngineKind engine) {
  SimGridResult result =
      simulate_isolated(schedule, config_of(machine), machine.setup,
                        engine == EngineKind::flow ? Simulator::flow : Simulator::simgrid);
  return {std::move(result.timeline), facts_of(result, machine), result.load_s,
          result.simulate_s,          result.peak_rss_bytes,     result.undisturbed,
          std::move(result.links)};
}

MachineFacts describe_with_simgrid(const Machine& machine) {
  return facts_of(describe_isolated(machine.mapping.ranks, config_of(machine)), machine);
}

bool is_known_network_model(const std::string& name) { return is_network_model(name); }

#else

EngineRun run_with_simgrid(const Schedule&, const Machine&, EngineKind) {
  throw UserError(
      "this tutti was built without SimGrid; take --engine flow on a crossbar, or --engine "
      "critical-path");
}

MachineFacts describe_with_simgrid(const Machine&) {
  throw UserError(
      "this tutti was built without SimGrid and cannot read platform files; leave out "
      "--platform");
}

bool is_known_network_model(const std::string& name) {
  return name == "hockney" || name == "lv08" || name == "smpi" || name == "ib";
}

#endif

}  // namespace tutti
