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

// The user's prices are those of the crossbar; one that is 0 has no capacity to stand for it.
EngineRun run_on_crossbar(const Schedule& schedule, const Machine& machine) {
  const Stopwatch watch;
  const PriceOverrides& prices = machine.overrides;
  Crossbar crossbar = machine.source.crossbar;
  FlowSetup setup;
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
  const MachineFacts facts = describe(machine);
  const std::uint32_t per_host = machine.mapping.ranks_per_host;
  setup.host_of_rank.resize(schedule.ranks());
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    setup.host_of_rank[rank] = machine.mapping.placement == Placement::block
                                   ? rank / per_host
                                   : rank % facts.facts.hosts_used;
  }
  // Hosts that no rank is on cost nothing.
  crossbar.hosts = 0;
  for (const std::uint32_t host : setup.host_of_rank) {
    crossbar.hosts = std::max(crossbar.hosts, host + 1);
  }
  CrossbarNetwork network(crossbar);
  FlowEngine engine(network, setup);
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

}  // namespace

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
