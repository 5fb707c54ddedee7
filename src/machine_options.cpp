#include "src/machine_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "schedules/error.hpp"
#include "src/quantities.hpp"
#include "src/simgrid_run.hpp"

namespace tutti {

namespace {

constexpr std::uint32_t kMostPorts = 1'000'000;

EngineKind parse_engine(const std::string& text) {
  for (const EngineKind engine : {EngineKind::simgrid, EngineKind::critical_path}) {
    if (name(engine) == text) {
      return engine;
    }
  }
  throw UserError(fmt::format("--engine '{}': accepted is simgrid or critical-path", text));
}

std::uint32_t parse_ports(const std::string& text) {
  if (text == "unlimited") {
    return kUnlimitedPorts;
  }
  const std::uint32_t ports = parse_count("--ports", text, kMostPorts);
  if (ports == 0) {
    throw UserError("--ports '0': accepted is a number from 1 on, or unlimited");
  }
  return ports;
}

// The crossbar that is made on the fly needs no SimGrid to be described.
MachineFacts describe_crossbar(const Machine& machine) {
  const Crossbar& crossbar = machine.source.crossbar;
  MachineFacts result;
  result.facts.name = fmt::format("crossbar:{}", crossbar.hosts);
  result.facts.hosts = result.facts.hosts_used = crossbar.hosts;
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

std::string_view name(EngineKind engine) {
  return engine == EngineKind::simgrid ? "simgrid" : "critical-path";
}

void MachineOptions::add_to(CLI::App& app, bool with_engine) {
  constexpr const char* kMachine = "On what";
  constexpr const char* kPrices = "Prices, in place of the platform's";
  app.add_option(
         "--platform", platform,
         "SimGrid platform in XML [a crossbar, made on the fly, of as many hosts as needed]")
      ->type_name("FILE")
      ->group(kMachine);
  if (with_engine) {
    app.add_option("--engine", engine,
                   "simgrid [default]: the network simulated; critical-path: alpha, beta and gamma "
                   "alone")
        ->type_name("NAME")
        ->group(kMachine);
    app.add_option("--network-model", network_model,
                   "Of the simgrid engine: hockney [default] (latency plus size over bandwidth, "
                   "with sharing), or SimGrid's lv08, smpi, ib")
        ->type_name("NAME")
        ->group(kMachine);
  }
  app.add_option("--ports", ports,
                 "Messages that a rank may send, and as many that it may receive, at a time: a "
                 "number [1] or unlimited")
      ->type_name("COUNT")
      ->group(kMachine);
  app.add_option("--placement", placement,
                 "block [default]: neighbours in rank share a host; cyclic: ranks are dealt out")
      ->type_name("HOW")
      ->group(kMachine);
  app.add_option("--alpha", alpha, "Start-up of a message: 2us")->type_name("TIME")->group(kPrices);
  app.add_option("--beta", beta, "A byte sent: 0.8ns, or a rate such as 10Gbps")
      ->type_name("PRICE")
      ->group(kPrices);
  app.add_option("--gamma", gamma, "A byte reduced: 0.1ns, or a rate such as 10GBps")
      ->type_name("PRICE")
      ->group(kPrices);
  app.add_option(
         "--copy-cost", copy_cost,
         "A byte copied within a rank [0]: 0.05ns, a rate, or gamma: as much as a byte reduced")
      ->type_name("PRICE")
      ->group(kPrices);
}

Machine MachineOptions::machine(const Problem& problem, std::uint32_t ranks_per_host) const {
  Machine machine;
  machine.element_bytes = problem.element_bytes;
  if (engine) {
    machine.engine = parse_engine(*engine);
  }
  if (network_model) {
    if (machine.engine != EngineKind::simgrid) {
      throw UserError(
          fmt::format("--network-model '{}': the engine {} has no network; leave it out, "
                      "or take --engine simgrid",
                      *network_model, name(machine.engine)));
    }
    if (!is_known_network_model(*network_model)) {
      throw UserError(fmt::format("--network-model '{}': accepted is hockney, lv08, smpi or ib",
                                  *network_model));
    }
    machine.network_model = *network_model;
  }
  if (ports) {
    machine.setup.ports = parse_ports(*ports);
  }
  machine.mapping.ranks = problem.ranks;
  machine.mapping.ranks_per_host = ranks_per_host;
  if (placement) {
    if (*placement != "block" && *placement != "cyclic") {
      throw UserError(fmt::format("--placement '{}': accepted is block or cyclic", *placement));
    }
    machine.mapping.placement = *placement == "cyclic" ? Placement::cyclic : Placement::block;
  }
  if (platform) {
    if (platform->empty()) {
      throw UserError("--platform '': accepted is the path of a SimGrid platform file");
    }
    machine.source.file = *platform;
  }
  machine.source.crossbar.hosts =
      problem.ranks / ranks_per_host + (problem.ranks % ranks_per_host != 0 ? 1 : 0);
  if (alpha) {
    machine.overrides.alpha_s = parse_time_s("--alpha", *alpha);
  }
  if (beta) {
    machine.overrides.beta_s_per_byte = parse_s_per_byte("--beta", *beta);
  }
  if (gamma) {
    machine.overrides.gamma_s_per_byte = parse_s_per_byte("--gamma", *gamma);
  }
  if (copy_cost == "gamma") {
    machine.copy_s_per_byte = describe(machine).prices.gamma_s_per_byte;
  } else if (copy_cost) {
    machine.copy_s_per_byte = parse_s_per_byte("--copy-cost", *copy_cost);
  }
  return machine;
}

MachineFacts describe(const Machine& machine) {
  if (machine.made_on_the_fly()) {
    return describe_crossbar(machine);
  }
  return describe_with_simgrid(machine);
}

}  // namespace tutti
