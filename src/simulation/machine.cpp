#include "src/simulation/machine.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "platforms/cluster_platform.hpp"
#include "platforms/explicit_file.hpp"
#include "platforms/gpu_file.hpp"
#include "src/simulation/case.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/message_changes.hpp"
#include "src/simulation/message_setup.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace simulation {

Machine::Machine() = default;
Machine::Machine(const Machine&) = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(const Machine&) = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

namespace {

bool same_node(const Mapping& mapping, Rank a, Rank b) {
  if (mapping.host_of_rank != nullptr) {
    return mapping.host_of_rank->at(a) == mapping.host_of_rank->at(b);
  }
  if (mapping.placement == Placement::cyclic) {
    const std::uint32_t hosts =
        mapping.ranks / mapping.ranks_per_host + (mapping.ranks % mapping.ranks_per_host != 0);
    return a % hosts == b % hosts;
  }
  return a / mapping.ranks_per_host == b / mapping.ranks_per_host;
}

// Returns the index of each host among the hosts of its switch; null if the switches are not known.
std::shared_ptr<const std::vector<std::uint32_t>> places_at_switches(
    const std::vector<std::uint32_t>& switch_of_host) {
  if (switch_of_host.empty()) {
    return nullptr;
  }
  std::vector<std::uint32_t> places;
  std::unordered_map<std::uint32_t, std::uint32_t> seen;
  for (const std::uint32_t at : switch_of_host) {
    places.push_back(seen[at]++);
  }
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(places));
}

// Returns the factors by which the changes scale all links of a crossbar alike. Returns nothing if
// the changes are not uniform.
std::optional<LinkFactors> uniform_factors(const PlatformChanges& changes) {
  if (!changes.hosts.empty() || changes.unshared) {
    return std::nullopt;
  }
  LinkFactors factors;
  for (const LinkChange& change : changes.links) {
    if (!means_link(change.which, "", {"", kHostLinks})) {
      return std::nullopt;
    }
    factors.bandwidth *= change.bandwidth;
    factors.latency *= change.latency;
  }
  return factors;
}

// Returns the built-in crossbar with the user's prices, scaled by `factors`.
Crossbar priced_crossbar(const Machine& machine, const LinkFactors& factors) {
  const PriceOverrides& prices = machine.spec.prices;
  Crossbar crossbar = machine.spec.source.crossbar;
  crossbar.latency_s = prices.alpha_s.value_or(crossbar.latency_s) * factors.latency;
  if (prices.beta_s_per_byte && *prices.beta_s_per_byte > 0) {
    crossbar.bandwidth_bytes_per_s = 1 / *prices.beta_s_per_byte;
  }
  crossbar.bandwidth_bytes_per_s *= factors.bandwidth;
  return crossbar;
}

// Returns the field that makes ranks late or times vary, with its value, for error messages.
std::string disturbance_given(const MachineSpec& spec) {
  const Disturbance& disturbance = spec.disturbance;
  if (!disturbance.late()) {
    return fmt::format("$jitter '{:g}%'", 100 * disturbance.jitter);
  }
  return spec.late_ranks.empty()
             ? fmt::format("$late_ranks 'uniform:{:g}..{:g}us'", 1e6 * disturbance.late_from_s,
                           1e6 * disturbance.late_to_s)
             : fmt::format("$late_ranks '{}'", spec.late_ranks);
}

// Describes the built-in crossbar, which needs no SimGrid.
MachineFacts describe_crossbar(const Machine& machine) {
  const LinkFactors factors = uniform_factors(machine.spec.changes).value_or(LinkFactors());
  Crossbar crossbar = machine.spec.source.crossbar;
  crossbar.latency_s *= factors.latency;
  crossbar.bandwidth_bytes_per_s *= factors.bandwidth;
  crossbar.speed_flops_per_s /= machine.spec.changes.gamma;
  MachineFacts result;
  result.facts.name = platform_name(machine);
  const std::uint32_t per_host = machine.mapping.ranks_per_host;
  result.facts.hosts = crossbar.hosts;
  result.facts.hosts_used =
      machine.mapping.ranks / per_host + (machine.mapping.ranks % per_host != 0 ? 1 : 0);
  result.facts.latency_s = result.facts.fastest_latency_s = crossbar.latency_s;
  result.facts.bandwidth_bytes_per_s = result.facts.widest_bandwidth_bytes_per_s =
      crossbar.bandwidth_bytes_per_s;
  result.facts.speed_flops_per_s = result.facts.fastest_speed_flops_per_s =
      crossbar.speed_flops_per_s;
  const PriceOverrides& given = machine.spec.prices;
  result.prices.alpha_s = given.alpha_s ? *given.alpha_s * factors.latency : crossbar.latency_s;
  result.prices.beta_s_per_byte = given.beta_s_per_byte ? *given.beta_s_per_byte / factors.bandwidth
                                                        : 1 / crossbar.bandwidth_bytes_per_s;
  result.prices.gamma_s_per_byte = given.gamma_s_per_byte
                                       ? *given.gamma_s_per_byte * machine.spec.changes.gamma
                                       : 1 / (crossbar.speed_flops_per_s * machine.element_bytes);
  result.prices.copy_s_per_byte = machine.copy_s_per_byte;
  return result;
}

// Returns which platforms to use if only SimGrid knows the routes of this file.
std::string platforms_with_routes(const std::string& file) {
  if (const auto why = why_gpus_unknown(file)) {
    return *why + "; write it anew with 'tutti platform gpu'";
  }
  if (const auto too_many = too_many_points(file)) {
    return *too_many + "; use a smaller one, or one that 'tutti platform' wrote";
  }
  return "use a platform file with one <cluster> (version 4.1, without limiter_link), with one "
         "zone "
         "whose routing is Full or Floyd, or one that 'tutti platform' wrote";
}

}  // namespace

std::optional<Crossbar> plain_crossbar(const Machine& machine) {
  const std::optional<LinkFactors> factors = uniform_factors(machine.spec.changes);
  if (!machine.built_in() || !factors) {
    return std::nullopt;
  }
  return priced_crossbar(machine, *factors);
}

std::shared_ptr<const ClusterPlatform> known_cluster(const Machine& machine) {
  if (!machine.built_in()) {
    return machine.files.cluster;
  }
  return std::make_shared<const ClusterPlatform>(crossbar_cluster(priced_crossbar(machine, {})));
}

PlatformShape platform_shape(const Machine& machine) {
  const auto cluster = known_cluster(machine);
  if (cluster == nullptr) {
    return {};
  }
  PlatformShape shape = cluster->shape();
  if (shape.link_ends) {
    const LinkRange unused = cluster->unused_links(hosts_in_use(machine.mapping).back() + 1);
    shape.link_ends = [ends = std::move(shape.link_ends), unused](std::uint32_t link) {
      return ends(unused.link(link));
    };
  }
  return shape;
}

PriceOverrides lasting_overrides(const Machine& machine) {
  return machine.spec.changes.any() ? PriceOverrides() : machine.spec.prices;
}

void place_ranks(Machine& machine, std::uint32_t ranks, std::uint32_t ranks_per_host) {
  machine.mapping.ranks = ranks;
  machine.mapping.ranks_per_host = ranks_per_host;
  std::uint32_t& hosts = machine.spec.source.crossbar.hosts;
  const std::uint32_t needed = ranks / ranks_per_host + (ranks % ranks_per_host != 0 ? 1 : 0);
  if (!machine.spec.crossbar_named) {
    hosts = needed;
  } else if (needed > hosts) {
    throw UserError(
        sentence("{} do not fit on the {} of crossbar:{} with {} per host; use $ranks_per_host {}",
                 counted(ranks, "rank"), counted(hosts, "host"), hosts,
                 counted(ranks_per_host, "rank"), (ranks + hosts - 1) / hosts));
  }
}

std::optional<Placement> placement_named(std::string_view word) {
  for (const Placement placement : kPlacements) {
    if (word == name(placement)) {
      return placement;
    }
  }
  return word == "by-switch" ? std::optional(Placement::by_switch) : std::nullopt;
}

std::string_view name(Placement placement) {
  return placement == Placement::block    ? "block"
         : placement == Placement::cyclic ? "cyclic"
                                          : "switch";
}

void use_placement(Machine& machine, Placement placement, const std::string& given) {
  machine.mapping.placement = placement;
  machine.mapping.hosts_per_switch = 0;
  machine.mapping.place_at_switch.reset();
  // All hosts of a crossbar are at one switch, so they keep their order.
  if (placement != Placement::by_switch || machine.built_in()) {
    return;
  }
  const ClusterPlatform* const cluster = machine.files.cluster.get();
  machine.mapping.hosts_per_switch = cluster != nullptr ? cluster->hosts_per_switch() : 0;
  if (machine.mapping.hosts_per_switch != 0) {
    return;
  }
  if (cluster != nullptr) {
    machine.mapping.place_at_switch = places_at_switches(cluster->leaf_of_hosts());
  }
  if (machine.mapping.place_at_switch == nullptr) {
    throw UserError(
        fmt::format("{}: {} does not say which hosts share a switch; write block or cyclic", given,
                    machine.spec.source.file));
  }
}

std::string platform_name(const Machine& machine) {
  return machine.built_in() ? fmt::format("crossbar:{}", machine.spec.source.crossbar.hosts)
                            : std::filesystem::path(machine.spec.source.file).filename().string();
}

void use_files(Machine& machine, MachineFiles files) {
  machine.files = std::move(files);
  if (machine.files.curves) {
    machine.setup.curves = machine.files.curves;
    machine.setup.same_node = [mapping = machine.mapping](Rank a, Rank b) {
      return same_node(mapping, a, b);
    };
  }
  if (machine.files.messages) {
    use_messages(machine);
  }
}

void choose_engine(Machine& machine) {
  const MachineSpec& spec = machine.spec;
  const std::string& engine_name = spec.engine;
  if (machine.setup.curves && (engine_name == "simgrid" || engine_name == "both")) {
    throw UserError(
        fmt::format("$engine={}: SimGrid uses one latency and one bandwidth for all sizes, so it "
                    "cannot use the size-dependent costs in $parameters {}; use $engine=flow or "
                    "critical-path, or give the platform file that 'tutti-mpi calibrate' wrote as "
                    "$platform",
                    engine_name, spec.parameters));
  }
  if (machine.files.messages && engine_name != "auto" && engine_name != "flow") {
    throw UserError(
        fmt::format("$engine={}: this engine does not support the message model in $parameters {}; "
                    "use $engine=flow",
                    engine_name, spec.parameters));
  }
  if (machine.files.messages && spec.network_model != "hockney") {
    throw UserError(fmt::format(
        "$network_model {}: $parameters {} already sets the cost of messages; leave one out",
        spec.network_model, spec.parameters));
  }
  if (machine.files.messages && flow_needs_simgrid(machine)) {
    throw UserError(fmt::format(
        "$parameters {}: only SimGrid knows the routes of {}, but SimGrid does not support message "
        "models; {}",
        spec.parameters, spec.source.file, platforms_with_routes(spec.source.file)));
  }
  const bool automatic = engine_name == "auto";
  machine.engine = &engine_named(automatic || machine.both_engines() ? "flow" : engine_name);
  const EngineType& engine = *machine.engine;
  const std::optional<std::string> lacks = engine.lacks(machine);
  if (lacks && automatic) {
    machine.engine = &engine_named("simgrid");
    machine.auto_reason = "flow does not model " + *lacks;
  } else if (automatic && spec.network_model == "lv08") {
    machine.engine = &engine_named("simgrid");
    machine.auto_reason =
        "under lv08, flow may choose differently between two messages that wait for a port";
  } else if (lacks) {
    throw UserError(fmt::format("$engine={}: the {} engine does not model {}; use $engine=simgrid",
                                engine_name, engine.name, *lacks));
  }
  if (spec.disturbance.any() && (!machine.engine->moves_starts || machine.both_engines())) {
    throw UserError(fmt::format(
        "{}: the engine {} does not model late ranks or jitter; use $engine=flow or critical-path",
        disturbance_given(spec), machine.both_engines() ? "simgrid" : machine.engine->name));
  }
}

TieProbe default_tie_probe(const Machine& machine) {
  // In 50 experiments with 5 schedules whose total times depend on ties, three runs always revealed
  // the dependence. With at most `most_ops` operations, these runs take a second at most.
  TieProbe probe;
  probe.runs = machine.engine->moves_starts && !machine.both_engines() ? 3 : 0;
  probe.most_ops = 20'000;
  return probe;
}

Machine machine_of(const Case& what) {
  Machine machine = *what.machine;
  if (what.ties) {
    machine.setup.ties = default_tie_probe(machine);
  }
  return machine;
}

MachineFacts describe(const Machine& machine) {
  if (machine.built_in() && plain_crossbar(machine)) {
    MachineFacts facts = describe_crossbar(machine);
    return machine.files.messages ? message_facts(machine, std::move(facts.facts)) : facts;
  }
  return machine.built_in() || machine.files.cluster != nullptr ? describe_cluster(machine)
                                                                : describe_with_simgrid(machine);
}

}}  // namespace tutti::simulation
