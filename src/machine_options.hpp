// Options that say on what a schedule runs: platform, engine, ports, prices.
#pragma once

#include <string>

#include "platforms/platform.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"
#include "src/common_options.hpp"

namespace tutti {

enum class EngineKind : std::uint8_t { simgrid, critical_path };
[[nodiscard]] std::string_view name(EngineKind engine);

// What the options come to, for given ranks.
struct Machine {
  EngineKind engine = EngineKind::simgrid;
  PlatformSource source;
  Mapping mapping;
  std::string network_model = "hockney";
  RunSetup setup;
  PriceOverrides overrides;
  double copy_s_per_byte = 0;
  std::uint32_t element_bytes = 8;

  [[nodiscard]] bool made_on_the_fly() const { return source.file.empty(); }
};

struct MachineOptions {
  OptionText platform;
  OptionText engine;
  OptionText network_model;
  OptionText ports;
  OptionText placement;
  OptionText alpha;
  OptionText beta;
  OptionText gamma;
  OptionText copy_cost;

  // Without an engine option where the command runs none of the user's choice.
  void add_to(CLI::App& app, bool with_engine);
  // The ranks of a node (Problem::ranks_per_node) need not share a host. `--copy-cost gamma` loads
  // the platform, to ask for its gamma.
  [[nodiscard]] Machine machine(const Problem& problem, std::uint32_t ranks_per_host) const;
};

// What a machine is, without running anything on it.
struct MachineFacts {
  PlatformFacts facts;
  Prices prices;
};
[[nodiscard]] MachineFacts describe(const Machine& machine);

}  // namespace tutti
