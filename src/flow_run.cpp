#include "src/flow_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/unmodelled.hpp"
#include "schedules/error.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simgrid_run.hpp"
#include "src/stopwatch.hpp"

namespace tutti {

namespace {

// The crossbar that is made here, with the ranks on its hosts.
struct PlacedCrossbar {
  Crossbar crossbar;
  FlowSetup setup;
};

// The user's prices are those of the crossbar; one that is 0 has no capacity to stand for it.
PlacedCrossbar place_on_crossbar(std::uint32_t ranks, const Machine& machine,
                                 const MachineFacts& facts) {
  const PriceOverrides& prices = machine.overrides;
  PlacedCrossbar placed{machine.source.crossbar, {}};
  Crossbar& crossbar = placed.crossbar;
  FlowSetup& setup = placed.setup;
  setup.flops_per_byte = 1.0 / machine.element_bytes;
  setup.copy_s_per_byte = machine.copy_s_per_byte;
  crossbar.latency_s = prices.alpha_s.value_or(crossbar.latency_s);
  if (prices.beta_s_per_byte) {
    setup.free_transfers = *prices.beta_s_per_byte == 0;
    if (!setup.free_transfers) {
      crossbar.bandwidth_bytes_per_s = 1 / *prices.beta_s_per_byte;
    }
  }
  if (prices.gamma_s_per_byte) {
    setup.flops_per_byte = *prices.gamma_s_per_byte * crossbar.speed_flops_per_s;
  }
  const std::uint32_t per_host = machine.mapping.ranks_per_host;
  setup.host_of_rank.resize(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    setup.host_of_rank[rank] = machine.mapping.placement == Placement::block
                                   ? rank / per_host
                                   : rank % facts.facts.hosts_used;
  }
  // Hosts that no rank is on cost nothing.
  crossbar.hosts = 0;
  for (const std::uint32_t host : setup.host_of_rank) {
    crossbar.hosts = std::max(crossbar.hosts, host + 1);
  }
  return placed;
}

EngineRun run_on_crossbar(const Schedule& schedule, const Machine& machine) {
  const Stopwatch watch;
  const MachineFacts facts = describe(machine);
  const PlacedCrossbar placed = place_on_crossbar(schedule.ranks(), machine, facts);
  CrossbarNetwork network(placed.crossbar);
  FlowEngine engine(network, placed.setup);
  if (machine.link_statistics) {
    engine.keep_statistics();
  }
  EngineRun run;
  run.timeline = engine.run(schedule, machine.setup);
  run.machine = facts;
  run.undisturbed = engine.undisturbed();
  for (const LinkStatistics& link : engine.statistics()) {
    run.links.push_back({network.link_name(link.link), link});
  }
  run.simulate_s = watch.seconds();
  run.ties = engine.ties(schedule, machine.setup, run.timeline.total_s);
  return run;
}

std::optional<SymmetricEngineRun> run_symmetric_on_crossbar(const SymmetricSchedule& schedule,
                                                            const Machine& machine) {
  const Stopwatch watch;
  const MachineFacts facts = describe(machine);
  const PlacedCrossbar placed = place_on_crossbar(schedule.ranks, machine, facts);
  CrossbarNetwork network(placed.crossbar);
  auto symmetric = run_symmetric(schedule, network, placed.setup, machine.setup);
  if (!symmetric) {
    return std::nullopt;
  }
  EngineRun run;
  run.timeline = std::move(symmetric->timeline);
  run.machine = facts;
  run.undisturbed = symmetric->undisturbed;
  run.simulate_s = watch.seconds();
  return SymmetricEngineRun{std::move(symmetric->part), std::move(run)};
}

}  // namespace

std::function<std::optional<SymmetricEngineRun>(const SymmetricSchedule&)> symmetric_flow(
    const Machine& machine) {
  if (machine.engine != EngineKind::flow || flow_needs_simgrid(machine)) {
    return {};
  }
  return [&machine](const SymmetricSchedule& schedule) {
    return run_symmetric_on_crossbar(schedule, machine);
  };
}

std::optional<std::string> flow_refusal(const Machine& machine) {
  if (machine.network_model != "hockney" && machine.network_model != "lv08") {
    return fmt::format("the network model {}", machine.network_model);
  }
  if (machine.built_in()) {
    return std::nullopt;
  }
  const std::optional<std::string> feature = unmodelled_feature(machine.source.file);
  if (!feature) {
    return std::nullopt;
  }
  return fmt::format("{} of {}", *feature, machine.source.file);
}

bool flow_needs_simgrid(const Machine& machine) {
  return !machine.built_in() || machine.network_model != "hockney";
}

EngineRun run_with_flow(const Schedule& schedule, const Machine& machine) {
  return flow_needs_simgrid(machine) ? run_with_simgrid(schedule, machine, EngineKind::flow)
                                     : run_on_crossbar(schedule, machine);
}

}  // namespace tutti
