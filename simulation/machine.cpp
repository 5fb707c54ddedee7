#include "simulation/machine.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "simulation/engines/engine_type.hpp"
#include "simulation/flow_run.hpp"
#include "simulation/simgrid_run.hpp"

namespace tutti {

namespace {

bool same_node(const Mapping& mapping, Rank a, Rank b) {
  if (mapping.placement == Placement::cyclic) {
    const std::uint32_t hosts =
        mapping.ranks / mapping.ranks_per_host + (mapping.ranks % mapping.ranks_per_host != 0);
    return a % hosts == b % hosts;
  }
  return a / mapping.ranks_per_host == b / mapping.ranks_per_host;
}

// The crossbar that is made on the fly needs no SimGrid to be described.
MachineFacts describe_crossbar(const Machine& machine) {
  const Crossbar& crossbar = machine.source.crossbar;
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
  result.prices.alpha_s = machine.overrides.alpha_s.value_or(crossbar.latency_s);
  result.prices.beta_s_per_byte =
      machine.overrides.beta_s_per_byte.value_or(1 / crossbar.bandwidth_bytes_per_s);
  result.prices.gamma_s_per_byte = machine.overrides.gamma_s_per_byte.value_or(
      1 / (crossbar.speed_flops_per_s * machine.element_bytes));
  result.prices.copy_s_per_byte = machine.copy_s_per_byte;
  return result;
}

}  // namespace

std::string platform_name(const Machine& machine) {
  return machine.built_in() ? fmt::format("crossbar:{}", machine.source.crossbar.hosts)
                            : std::filesystem::path(machine.source.file).filename().string();
}

void use_curves(Machine& machine, const CostCurves& curves) {
  machine.setup.curves = std::make_shared<const CostCurves>(curves);
  machine.setup.same_node = [mapping = machine.mapping](Rank a, Rank b) {
    return same_node(mapping, a, b);
  };
}

// "auto" is flow where it is known to be exact, and SimGrid otherwise.
void choose_engine(Machine& machine) {
  const std::string& asked = machine.engine_asked;
  if (machine.setup.curves && (asked == "simgrid" || asked == "both")) {
    throw UserError(fmt::format(
        "--engine {}: SimGrid has one latency and one bandwidth for messages of all sizes, not the "
        "pieces of --parameters {}; take --engine flow or critical-path, or --platform with the "
        "platform that calibrate wrote",
        asked, machine.parameters_file));
  }
  const bool automatic = asked == "auto";
  machine.engine = &engine_named(automatic || machine.both_engines() ? "flow" : asked);
  const EngineType& engine = *machine.engine;
  const std::optional<std::string> lacks =
      engine.lacks != nullptr ? engine.lacks(machine) : std::nullopt;
  if (lacks && automatic) {
    machine.engine = &engine_named("simgrid");
    machine.auto_reason = "flow does not model " + *lacks;
  } else if (automatic && machine.network_model == "lv08") {
    machine.engine = &engine_named("simgrid");
    machine.auto_reason = "under lv08, flow may take another of two messages that wait for a port";
  } else if (lacks) {
    throw UserError(
        fmt::format("--engine {}: the {} engine does not model {}; take --engine simgrid", asked,
                    engine.name, *lacks));
  }
}

MachineFacts describe(const Machine& machine) {
  if (machine.built_in()) {
    return describe_crossbar(machine);
  }
  return machine.cluster != nullptr ? describe_cluster(machine) : describe_with_simgrid(machine);
}

}  // namespace tutti
