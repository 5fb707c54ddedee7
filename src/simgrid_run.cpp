#include "src/simgrid_run.hpp"

#include "schedules/error.hpp"

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
  return config;
}

MachineFacts facts_of(const SimGridResult& result, const Machine& machine) {
  MachineFacts facts{result.facts, result.prices};
  facts.prices.copy_s_per_byte = machine.copy_s_per_byte;
  return facts;
}

}  // namespace

EngineRun run_with_simgrid(const Schedule& schedule, const Machine& machine) {
  SimGridResult result = simulate_isolated(schedule, config_of(machine), machine.setup);
  return {std::move(result.timeline), facts_of(result, machine), result.load_s, result.simulate_s,
          result.peak_rss_bytes};
}

MachineFacts describe_with_simgrid(const Machine& machine) {
  return facts_of(describe_isolated(machine.mapping.ranks, config_of(machine)), machine);
}

class SimGridRuns::Impl {
 public:
  Impl(const Machine& machine, Run run)
      : process_(config_of(machine),
                 [machine, run = std::move(run)](std::size_t index, const LoadedPlatform& loaded) {
                   return run(index, [&](const Schedule& schedule) {
                     SimGridResult result = loaded.simulate(schedule, machine.setup);
                     return EngineRun{std::move(result.timeline), facts_of(result, machine),
                                      result.load_s, result.simulate_s, 0};
                   });
                 }) {}

  [[nodiscard]] std::string run(std::size_t index) { return process_.run(index); }

 private:
  PlatformProcess process_;
};

SimGridRuns::SimGridRuns(const Machine& machine, Run run)
    : impl_(std::make_unique<Impl>(machine, std::move(run))) {}

std::string SimGridRuns::run(std::size_t index) { return impl_->run(index); }

bool is_known_network_model(const std::string& name) { return is_network_model(name); }

#else

EngineRun run_with_simgrid(const Schedule&, const Machine&) {
  throw UserError("this tutti was built without SimGrid; take --engine critical-path");
}

class SimGridRuns::Impl {};

SimGridRuns::SimGridRuns(const Machine&, Run) {
  throw UserError("this tutti was built without SimGrid; take --engine critical-path");
}

std::string SimGridRuns::run(std::size_t) { return {}; }

MachineFacts describe_with_simgrid(const Machine&) {
  throw UserError(
      "this tutti was built without SimGrid and cannot read platform files; leave out "
      "--platform");
}

bool is_known_network_model(const std::string& name) {
  return name == "hockney" || name == "lv08" || name == "smpi" || name == "ib";
}

#endif

SimGridRuns::~SimGridRuns() = default;

}  // namespace tutti
