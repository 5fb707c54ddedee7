#include "src/simulation/flow_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "platforms/cluster_platform.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/flow/named_links.hpp"
#include "sim/messages/message_network.hpp"
#include "sim/platform_prices.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/message_setup.hpp"
#include "src/simulation/simgrid_run.hpp"
#include "src/simulation/switch_places.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Runs the engine, and stores the results in `run`. Does not set the machine, the loading time,
// own_times and call_s.
void run_engine_on(Network& network, const FlowSetup& setup, const Schedule& schedule,
                   const Machine& machine, RunSetup run_setup, EngineRun& run) {
  const Stopwatch watch;
  FlowEngine engine(network, setup);
  if (const auto& known_total_s = run_setup.ties.known_total_s) {
    run.ties = engine.ties(schedule, run_setup, *known_total_s);
    return;
  }
  const WatchListPtr watched = std::exchange(run_setup.watched, nullptr);
  run.repeats = engine.repeat(schedule, run_setup);
  run_setup.watched = watched;
  if (machine.record.link_statistics) {
    engine.keep_statistics();
  }
  if (!machine.record.message_ends) {
    engine.leave_out_message_ends();
  }
  run.timeline = engine.run(schedule, run_setup);
  run_setup.watched = nullptr;
  run.record = std::move(engine.record());
  const bool given_up = watched && !run.record.complete;
  if (machine.record.link_statistics && !given_up) {
    run.links = named_links(engine.statistics(), network, setup, schedule);
  }
  if (machine.record.keep_routes && !given_up) {
    run.routes = used_routes(network, setup, schedule);
  }
  run.simulate_s = watch.seconds();
  run.ties = engine.ties(schedule, run_setup, run.timeline.total_s);
}

// Runs one rank of each class in place of all ranks. Returns nothing if the result would not be
// exact.
std::optional<SymmetricEngineRun> run_symmetric_on(Network& network, const FlowSetup& setup,
                                                   const SymmetricSchedule& schedule,
                                                   const Machine& machine, EngineRun run) {
  const Stopwatch watch;
  FlowSetup with_switches = setup;
  std::vector<std::uint32_t> switch_of_rank;
  if (schedule.has_switches) {
    switch_of_rank = switches_of_ranks(*machine.files.cluster, with_switches);
  }
  auto symmetric = run_symmetric(schedule, network, with_switches, machine.setup, switch_of_rank);
  if (!symmetric) {
    return std::nullopt;
  }
  run.timeline = std::move(symmetric->timeline);
  run.own_times = own_times_of(std::move(symmetric->alone));
  run.simulate_s = watch.seconds();
  return SymmetricEngineRun{std::move(symmetric->part), std::move(run)};
}

// A network in this process, with the ranks on its hosts.
struct PlacedRanks {
  std::shared_ptr<Network> network;
  FlowSetup setup;
  EngineRun run;  // has only the machine and the loading time so far
};

// Places ranks on the built-in crossbar, which already has the user's alpha and beta. A beta of 0
// cannot be expressed as a bandwidth, so it sets FlowSetup::free_transfers.
PlacedRanks place_on_crossbar(std::uint32_t ranks, const Machine& machine, Crossbar crossbar) {
  const PriceOverrides& prices = machine.spec.prices;
  PlacedRanks placed;
  FlowSetup& setup = placed.setup;
  setup.flops_per_byte = 1.0 / machine.element_bytes;
  setup.copy_s_per_byte = machine.copy_s_per_byte;
  setup.free_transfers = prices.beta_s_per_byte && *prices.beta_s_per_byte == 0;
  if (prices.gamma_s_per_byte) {
    setup.flops_per_byte = *prices.gamma_s_per_byte * crossbar.speed_flops_per_s;
  }
  setup.flops_per_byte *= machine.spec.changes.gamma;
  placed.run.machine = describe(machine);
  Mapping mapping = machine.mapping;
  mapping.ranks = ranks;
  setup.host_of_rank = hosts_of_ranks(mapping);
  // Leaves out the hosts after the last host with a rank, because unused hosts would only cost
  // memory.
  crossbar.hosts = 0;
  for (const std::uint32_t host : setup.host_of_rank) {
    crossbar.hosts = std::max(crossbar.hosts, host + 1);
  }
  placed.network = std::make_shared<CrossbarNetwork>(crossbar);
  return placed;
}

MachineFacts facts_of(const RankPlaces& places, const Machine& machine) {
  if (machine.files.messages) {
    return message_facts(machine, places.facts);
  }
  return {places.facts, prices_of(places.facts, lasting_overrides(machine), machine.element_bytes,
                                  machine.copy_s_per_byte)};
}

// Returns the prices that are still to be applied to known_cluster(). A built-in crossbar already
// has alpha and a positive beta.
PriceOverrides prices_on_cluster(const Machine& machine) {
  PriceOverrides prices = machine.spec.prices;
  if (machine.built_in()) {
    prices.alpha_s.reset();
    if (prices.beta_s_per_byte && *prices.beta_s_per_byte > 0) {
      prices.beta_s_per_byte.reset();
    }
  }
  return prices;
}

PlacedRanks place_on_cluster(std::uint32_t ranks, const Machine& machine) {
  const Stopwatch load_watch;
  Mapping mapping = machine.mapping;
  mapping.ranks = ranks;
  ClusterPlatform platform = *known_cluster(machine);
  RankPlaces places = place_ranks(platform, mapping, prices_on_cluster(machine),
                                  machine.element_bytes, machine.spec.changes);
  PlacedRanks placed;
  placed.network = platform.network(hosts_in_use(mapping).back() + 1, machine.spec.network_model);
  placed.run.machine = facts_of(places, machine);
  placed.setup = {.host_of_rank = std::move(places.host_of_rank),
                  .flops_per_byte = places.flops_per_byte,
                  .copy_s_per_byte = machine.copy_s_per_byte,
                  .free_transfers = places.free_transfers};
  placed.run.load_s = load_watch.seconds();
  return placed;
}

PlacedRanks place_on_routes(const RoutesInUse& routes) {
  PlacedRanks placed;
  placed.network = std::make_shared<RouteSetNetwork>(routes.routes);
  placed.setup = routes.setup;
  placed.run.machine = routes.facts;
  placed.run.load_s = routes.load_s;
  return placed;
}

// Returns the routes between the hosts in use, without facts. Machines of one platform for several
// numbers of ranks ask SimGrid only if the routes found for another number do not suffice.
RoutesInUse routes_without_facts(const Machine& machine) {
  const auto& known = machine.files.known_routes;
  if (known == nullptr || machine.spec.prices.any() || machine.spec.changes.any()) {
    return routes_of_simgrid(machine);
  }
  std::vector<std::uint32_t> host_of_rank = hosts_of_ranks(machine.mapping);
  const std::lock_guard lock(known->mutex);
  if (known->routes && known->routes->has_routes(host_of_rank)) {
    RoutesInUse found;
    found.routes = known->routes;
    found.setup.host_of_rank = std::move(host_of_rank);
    found.setup.flops_per_byte = 1.0 / machine.element_bytes;
    found.setup.copy_s_per_byte = machine.copy_s_per_byte;
    return found;
  }
  RoutesInUse found = routes_of_simgrid(machine);
  known->routes = found.routes;
  return found;
}

PlacedRanks place(std::uint32_t ranks, const Machine& machine) {
  if (const auto& routes = machine.routes) {
    TUTTI_INVARIANT(ranks == routes->setup.host_of_rank.size() &&
                    machine.spec.prices == routes->prices &&
                    machine.spec.changes == routes->changes);
    return place_on_routes(*routes);
  }
  if (flow_runs_on_crossbar(machine)) {
    if (const std::optional<Crossbar> crossbar = plain_crossbar(machine)) {
      return place_on_crossbar(ranks, machine, *crossbar);
    }
  }
  return place_on_cluster(ranks, machine);
}

RunSetup setup_of_barrier(const RunSetup& run_setup) {
  return {
      .ports = kUnlimitedPorts, .eager_bytes = run_setup.eager_bytes, .eager_takes_ports = false};
}

// Returns the time at which each rank leaves the barrier before a call of the schedule, in seconds
// after the first rank. Sets the start of each rank in `run_setup` to this time plus the library's
// work before the schedule.
//
// Benchmarks repeat a call: a rank enters the barrier when its previous call has ended. All ranks
// began the previous call at the same time.
std::vector<double> begin_after_barrier(Network& network, const FlowSetup& setup,
                                        const Schedule& schedule, const Machine& machine,
                                        RunSetup& run_setup) {
  RunSetup previous = run_setup;
  previous.watched = nullptr;
  RunSetup in_barrier = setup_of_barrier(run_setup);
  in_barrier.disturbance.late_s = std::make_shared<std::vector<double>>(call_ends_s(
      schedule, FlowEngine(network, setup).run(schedule, previous), run_setup.eager_bytes));
  std::vector<double> begins_s = barrier_exits_s(
      barrier_before_call(machine), schedule.ranks(), run_setup.eager_bytes,
      [&](const Schedule& barrier) { return FlowEngine(network, setup).run(barrier, in_barrier); });
  auto late_s = std::make_shared<std::vector<double>>(begins_s);
  for (double& each : *late_s) {
    each += run_setup.start_s;
  }
  run_setup.disturbance.late_s = std::move(late_s);
  return begins_s;
}

bool flow_models(const std::string& network_model) {
  return network_model == "hockney" || network_model == "lv08";
}

// Returns the time that each operation takes alone on the routes between the ranks' hosts.
// `at_ends_s` has the meaning of Timeline::at_ends_s.
OwnTimes own_times_of(PlacedRanks&& placed, Rank ranks, std::vector<double> at_ends_s = {}) {
  return [network = std::move(placed.network), setup = std::move(placed.setup), ranks,
          at_ends_s = std::move(at_ends_s)](OpId id, const Op& op) {
    if (!op.is_comm()) {
      return alone_at(*network, setup, ranks, op);
    }
    OwnTime own = alone_on(*route_of_message(*network, setup.host_of_rank, op).figures, setup, op);
    own.startup_s += at_ends_s.empty() ? 0 : at_ends_s[id];
    return own;
  };
}

}  // namespace

FlowNetwork flow_network(std::uint32_t ranks, const Machine& machine) {
  PlacedRanks placed = flow_needs_simgrid(machine) ? place_on_routes(routes_without_facts(machine))
                                                   : place(ranks, machine);
  return {std::move(placed.network), std::move(placed.setup)};
}

OwnTimes own_times_on_routes(std::uint32_t ranks, const Machine& machine) {
  if (flow_needs_simgrid(machine) || !flow_models(machine.spec.network_model)) {
    return {};
  }
  return own_times_of(place(ranks, machine), ranks);
}

std::optional<std::string> flow_refusal(const Machine& machine) {
  if (!flow_models(machine.spec.network_model)) {
    return fmt::format("the network model {}", machine.spec.network_model);
  }
  const std::optional<std::string>& feature = machine.files.unmodelled;
  if (!feature) {
    return std::nullopt;
  }
  return fmt::format("{} of {}", *feature, machine.spec.source.file);
}

bool flow_needs_simgrid(const Machine& machine) {
  return !flow_runs_on_crossbar(machine) && machine.files.cluster == nullptr && !machine.routes;
}

void ask_for_routes(Machine& machine) {
  if (flow_needs_simgrid(machine)) {
    machine.routes = std::make_shared<const RoutesInUse>(routes_of_simgrid(machine));
  }
}

bool flow_runs_on_crossbar(const Machine& machine) {
  return machine.built_in() && machine.spec.network_model == "hockney";
}

MachineFacts describe_cluster(const Machine& machine) {
  ClusterPlatform platform = *known_cluster(machine);
  return facts_of(place_ranks(platform, machine.mapping, prices_on_cluster(machine),
                              machine.element_bytes, machine.spec.changes),
                  machine);
}

const EngineType& flow_in_order() {
  static const EngineType engine = [] {
    EngineType flow = engine_named("flow");
    flow.run = [](const Schedule& schedule, const Machine& machine, const MachineFacts*) {
      return run_with_flow(schedule, machine, true);
    };
    flow.symmetric = [](const Machine&) { return SymmetricRunner(); };
    return flow;
  }();
  return engine;
}

double latest_start_s(const Machine& machine) {
  const std::uint32_t ranks = machine.mapping.ranks;
  PlacedRanks placed = place(ranks, machine);
  const auto network =
      message_network(machine, std::move(placed.network), placed.setup.host_of_rank);
  const Schedule barrier = barrier_schedule(barrier_before_call(machine), ranks);
  return FlowEngine(*network, placed.setup).run(barrier, setup_of_barrier(machine.setup)).total_s;
}

EngineRun run_with_flow(const Schedule& schedule, const Machine& machine, bool in_order) {
  if (flow_needs_simgrid(machine)) {
    return run_flow_with_simgrid(schedule, machine);
  }
  PlacedRanks placed = place(schedule.ranks(), machine);
  placed.setup.in_order = in_order;
  if (schedule.switches() > 0) {
    place_switches(schedule, *machine.files.cluster, placed.setup);
  }
  RunSetup run_setup = machine.setup;
  std::vector<double> begins_s;
  if (machine.files.messages) {
    send_messages(schedule, machine, placed.network, placed.setup, run_setup);
    if (machine.spec.after_barrier) {
      begins_s = begin_after_barrier(*placed.network, placed.setup, schedule, machine, run_setup);
    }
  }
  run_engine_on(*placed.network, placed.setup, schedule, machine, run_setup, placed.run);
  if (machine.spec.after_barrier) {
    placed.run.call_s =
        slowest_call_s(schedule, placed.run.timeline, run_setup.eager_bytes, begins_s);
  }
  EngineRun run = std::move(placed.run);
  run.own_times = own_times_of(std::move(placed), schedule.ranks(), run.timeline.at_ends_s);
  return run;
}

SymmetricRunner symmetric_flow(const Machine& machine) {
  if (flow_needs_simgrid(machine)) {
    return {};
  }
  return [&machine](const SymmetricSchedule& schedule) {
    PlacedRanks placed = place(schedule.ranks, machine);
    return run_symmetric_on(*placed.network, placed.setup, schedule, machine,
                            std::move(placed.run));
  };
}

}}  // namespace tutti::simulation
