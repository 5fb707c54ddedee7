#include "src/flow_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "platforms/cluster_platform.hpp"
#include "platforms/unmodelled.hpp"
#include "schedules/error.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/platform_prices.hpp"
#include "src/simgrid_run.hpp"
#include "src/stopwatch.hpp"

namespace tutti {

namespace {

// All of `run` but the machine.
void run_engine_on(Network& network, const FlowSetup& setup, const Schedule& schedule,
                   const Machine& machine, EngineRun& run) {
  const Stopwatch watch;
  FlowEngine engine(network, setup);
  if (machine.link_statistics) {
    engine.keep_statistics();
  }
  run.timeline = engine.run(schedule, machine.setup);
  run.undisturbed = engine.undisturbed();
  for (const LinkStatistics& link : engine.statistics()) {
    run.links.push_back({network.link_name(link.link), link});
  }
  run.simulate_s = watch.seconds();
  run.ties = engine.ties(schedule, machine.setup, run.timeline.total_s);
}

// The user's prices are those of the crossbar; one that is 0 has no capacity to stand for it.
EngineRun run_on_crossbar(const Schedule& schedule, const Machine& machine) {
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
  EngineRun run;
  run.machine = facts;
  run_engine_on(network, setup, schedule, machine, run);
  return run;
}

MachineFacts facts_of(const RankPlaces& places, const Machine& machine) {
  return {places.facts, prices_of(places.facts, machine.overrides, machine.element_bytes,
                                  machine.copy_s_per_byte)};
}

EngineRun run_on_cluster(const Schedule& schedule, const Machine& machine) {
  const Stopwatch load_watch;
  Mapping mapping = machine.mapping;
  mapping.ranks = schedule.ranks();
  ClusterPlatform platform = *machine.cluster;
  RankPlaces places = place_ranks(platform, mapping, machine.overrides, machine.element_bytes);
  const std::unique_ptr<Network> network =
      platform.network(places.facts.hosts_used, machine.network_model);
  const FlowSetup setup{.host_of_rank = std::move(places.host_of_rank),
                        .flops_per_byte = places.flops_per_byte,
                        .copy_s_per_byte = machine.copy_s_per_byte,
                        .free_transfers = places.free_transfers};
  EngineRun run;
  run.load_s = load_watch.seconds();
  run.machine = facts_of(places, machine);
  run_engine_on(*network, setup, schedule, machine, run);
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
  return !flow_runs_on_crossbar(machine) && machine.cluster == nullptr;
}

bool flow_runs_on_crossbar(const Machine& machine) {
  return machine.built_in() && machine.network_model == "hockney";
}

MachineFacts describe_cluster(const Machine& machine) {
  ClusterPlatform platform = *machine.cluster;
  return facts_of(place_ranks(platform, machine.mapping, machine.overrides, machine.element_bytes),
                  machine);
}

EngineRun run_with_flow(const Schedule& schedule, const Machine& machine) {
  if (flow_runs_on_crossbar(machine)) {
    return run_on_crossbar(schedule, machine);
  }
  return machine.cluster != nullptr ? run_on_cluster(schedule, machine)
                                    : run_with_simgrid(schedule, machine, EngineKind::flow);
}

}  // namespace tutti
