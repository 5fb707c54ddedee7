#include "src/flow_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "platforms/unmodelled.hpp"
#include "schedules/error.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti {

namespace {

bool needs_simgrid(const Machine& machine) {
  return !machine.built_in() || machine.network_model != "hockney";
}

// The user's prices are those of the crossbar; one that is 0 has no capacity to stand for it.
EngineRun run_on_crossbar(const Schedule& schedule, const Machine& machine) {
  const auto start = std::chrono::steady_clock::now();
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
  crossbar.hosts = facts.facts.hosts_used;
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
  run.simulate_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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

EngineRun run_with_flow(const Schedule& schedule, const Machine& machine) {
  return needs_simgrid(machine) ? run_with_simgrid(schedule, machine, EngineKind::flow)
                                : run_on_crossbar(schedule, machine);
}

EngineComparison compare_engines(const Timeline& flow, const EngineRun& simgrid) {
  EngineComparison result;
  result.simgrid_total_s = simgrid.timeline.total_s;
  result.simgrid_wall_s = simgrid.simulate_s;
  const double total_s = std::max(flow.total_s, simgrid.timeline.total_s);
  if (total_s == 0) {
    return result;
  }
  for (std::size_t id = 0; id < flow.start_s.size(); ++id) {
    const double off = std::max(std::abs(flow.start_s[id] - simgrid.timeline.start_s[id]),
                                std::abs(flow.end_s[id] - simgrid.timeline.end_s[id])) /
                       total_s;
    if (!(off <= result.worst)) {  // what is no number is no agreement either
      result.worst = off;
      result.op = static_cast<OpId>(id);
    }
  }
  return result;
}

}  // namespace tutti
