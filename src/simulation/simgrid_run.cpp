#include "src/simulation/simgrid_run.hpp"

#include "base/error.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/flow_run.hpp"

#if TUTTI_WITH_SIMGRID
#include "sim/platform_prices.hpp"
#include "sim/simgrid/isolated_run.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/switch_places.hpp"
#endif

namespace tutti { inline namespace simulation {

#if TUTTI_WITH_SIMGRID

namespace {

SimGridConfig config_of(const Machine& machine) {
  SimGridConfig config;
  config.platform = machine.spec.source;
  config.network_model = machine.spec.network_model;
  config.ranks_per_host = machine.mapping.ranks_per_host;
  config.placement = machine.mapping.placement;
  config.element_bytes = machine.element_bytes;
  config.overrides = machine.spec.prices;
  config.changes = machine.spec.changes;
  config.hosts_per_switch = machine.mapping.hosts_per_switch;
  config.place_at_switch = machine.mapping.place_at_switch;
  config.host_of_rank = machine.mapping.host_of_rank;
  if (machine.spec.changes.of_network()) {
    config.known_as = known_cluster(machine);
  }
  config.copy_s_per_byte = machine.copy_s_per_byte;
  config.link_statistics = machine.record.link_statistics;
  config.keep_routes = machine.record.keep_routes;
  // Updates::pointed_out is only possible if bandwidths never change, because it marks a link as
  // changed by setting the link's bandwidth.
  if (machine.spec.network_model == "hockney" && !flow_refusal(machine)) {
    config.updates = Updates::pointed_out;
  }
  return config;
}

MachineFacts facts_of(const SimGridResult& result, const Machine& machine) {
  MachineFacts facts{result.facts, result.prices};
  facts.prices.copy_s_per_byte = machine.copy_s_per_byte;
  return facts;
}

Simulator simulator_of(const Machine& machine) {
  return machine.engine->by_simgrid ? Simulator::simgrid : Simulator::flow;
}

EngineRun engine_run(SimGridResult result, const Machine& machine) {
  EngineRun run;
  run.machine = facts_of(result, machine);
  run.timeline = std::move(result.timeline);
  run.load_s = result.load_s;
  run.simulate_s = result.simulate_s;
  run.peak_rss_bytes = result.peak_rss_bytes;
  run.links = std::move(result.links);
  run.record = std::move(result.record);
  run.routes = std::move(result.routes);
  run.ties = result.ties;
  run.repeats = result.repeats;
  if (!result.alone.routes.empty()) {
    run.own_times = own_times_of(std::move(result.alone));
  }
  return run;
}

// If SimGrid simulates, each run needs its own fork, because SimGrid's clock continues from run to
// run. The same holds if prices or changes modify the platform.
PlatformProcess::Cells cells_of(const Machine& machine) {
  const bool without_simgrid = !machine.engine->by_simgrid && !machine.both_engines();
  const bool platform_stays = !machine.spec.prices.any() && !machine.spec.changes.of_network();
  return without_simgrid && platform_stays ? PlatformProcess::Cells::in_place
                                           : PlatformProcess::Cells::forked;
}

EngineRun run_loaded(const LoadedPlatform& loaded, const Schedule& schedule,
                     const Machine& machine) {
  // An engine that does not need SimGrid runs without it, so that a comparison with SimGrid is
  // independent.
  const EngineType& engine = *machine.engine;
  EngineRun run =
      engine.needs_simgrid(machine)
          ? engine_run(loaded.simulate(schedule, machine.setup, simulator_of(machine)), machine)
          : engine.run(schedule, machine, nullptr);
  if (!run.own_times) {
    run.own_times = own_times_on_routes(schedule.ranks(), machine);
  }
  if (machine.both_engines()) {
    const SimGridResult judge = loaded.simulate(schedule, machine.setup, Simulator::simgrid);
    run.comparison = compare_engines(run.timeline, judge.timeline, judge.simulate_s,
                                     machine.spec.engine_tolerance);
  }
  return run;
}

// `loaded` and `machine` must outlive the result.
RunEngine engine_on(const LoadedPlatform& loaded, const Machine& machine) {
  return {
      .run =
          [&](const Schedule& schedule, const Machine& wanted) {
            check_switches(schedule, machine);
            // One process serves runs with and without a check for ties.
            Machine own = machine;
            own.setup.ties = wanted.setup.ties;
            return run_loaded(loaded, schedule, own);
          },
      .run_symmetric = [&](const SymmetricSchedule& schedule) -> std::optional<SymmetricEngineRun> {
        auto run = loaded.simulate_symmetric(schedule, machine.setup);
        if (!run) {
          return std::nullopt;
        }
        return SymmetricEngineRun{std::move(run->part),
                                  engine_run(std::move(run->result), machine)};
      }};
}

}  // namespace

EngineRun run_with_simgrid(const Schedule& schedule, const Machine& machine) {
  EngineRun run = engine_run(
      simulate_isolated(schedule, config_of(machine), machine.setup, Simulator::simgrid), machine);
  run.own_times = own_times_on_routes(schedule.ranks(), machine);
  return run;
}

EngineRun run_flow_with_simgrid(const Schedule& schedule, const Machine& machine) {
  return engine_run(simulate_isolated(schedule, config_of(machine), machine.setup, Simulator::flow),
                    machine);
}

MachineFacts describe_with_simgrid(const Machine& machine) {
  return facts_of(describe_isolated(machine.mapping.ranks, config_of(machine)), machine);
}

RoutesInUse routes_of_simgrid(const Machine& machine) {
  SimGridRoutes found = routes_isolated(machine.mapping.ranks, config_of(machine));
  return {.routes = std::make_shared<const RouteSet>(std::move(found.routes)),
          .setup = {.host_of_rank = std::move(found.host_of_rank),
                    .flops_per_byte = found.flops_per_byte,
                    .copy_s_per_byte = machine.copy_s_per_byte,
                    .free_transfers = found.free_transfers},
          .facts = {found.facts, prices_of(found.facts, lasting_overrides(machine),
                                           machine.element_bytes, machine.copy_s_per_byte)},
          .prices = machine.spec.prices,
          .changes = machine.spec.changes,
          .load_s = found.load_s};
}

std::vector<std::string> host_names_of_simgrid(const Machine& machine) {
  return host_names_isolated(config_of(machine));
}

SimGridRuns::SimGridRuns(const Machine& machine, Run run) {
  auto process = std::make_shared<PlatformProcess>(
      config_of(machine),
      [machine, run = std::move(run)](const std::string& request, const LoadedPlatform& loaded) {
        return run(request, engine_on(loaded, machine));
      },
      cells_of(machine));
  run_ = [process](const std::string& request) { return process->run(request); };
}

#else

namespace {

[[noreturn]] void refuse_run() {
  throw UserError(
      "this tutti was built without SimGrid; use $engine=flow on a crossbar or on a platform with "
      "one <cluster> or one zone with routes, or $engine=critical-path");
}

}  // namespace

EngineRun run_with_simgrid(const Schedule&, const Machine&) { refuse_run(); }
EngineRun run_flow_with_simgrid(const Schedule&, const Machine&) { refuse_run(); }

SimGridRuns::SimGridRuns(const Machine&, Run) {
  throw UserError("this tutti was built without SimGrid; use $engine=critical-path");
}

namespace {

[[noreturn]] void refuse_platform() {
  throw UserError(
      "this tutti was built without SimGrid and reads only platform files of the forms that tutti "
      "platform writes; leave out $platform");
}

}  // namespace

MachineFacts describe_with_simgrid(const Machine&) { refuse_platform(); }
RoutesInUse routes_of_simgrid(const Machine&) { refuse_platform(); }
std::vector<std::string> host_names_of_simgrid(const Machine&) { refuse_platform(); }

#endif

std::string_view simgrid_version() { return TUTTI_SIMGRID_VERSION; }

bool runs_on_simgrid_platform(const Machine& machine) {
  return machine.both_engines() || machine.engine->needs_simgrid(machine);
}

}}  // namespace tutti::simulation
