// Options that describe the machine on which a schedule runs: platform, engine, ports, and prices
// (times per message or byte).
#pragma once

#include "base/messages.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/problem_template.hpp"
#include "src/requests/what_if_options.hpp"
#include "src/simulation/machine_spec.hpp"

namespace tutti { inline namespace requests {

struct Parameters;

// Headings of the options in help.
inline constexpr const char* kMachineGroup = "Machine";
inline constexpr const char* kPricesGroup = "Prices, instead of the platform's";

// The value of --placement.
struct PlacementChoice {
  Placement placement = Placement::block;
  std::optional<std::uint32_t> seed = std::nullopt;  // of random hosts
};

struct MachineOptions {
  std::optional<std::string> platform;  // path of a file, or crossbar:HOSTS,...
  std::optional<std::string> engine;
  std::optional<SymmetryUse> symmetry;
  bool all_rounds = false;
  std::optional<ValueWithText<double>> tolerance;
  std::optional<std::string> network_model;
  std::optional<std::uint32_t> ports;
  std::optional<ValueWithText<PlacementChoice>> placement;
  std::optional<std::string> hosts;  // path of a file, or a list
  std::optional<ValueWithText<double>> alpha_s;
  std::optional<ValueWithText<double>> beta_s_per_byte;
  std::optional<ValueWithText<double>> gamma_s_per_byte;
  std::optional<ValueWithText<CopyPrice>> copy;
  std::optional<std::string> parameters;  // path of a file
  // Largest eager message. No value: the size in the file of --parameters.
  std::optional<ValueWithText<std::optional<std::uint64_t>>> eager_bytes;
  bool after_barrier = false;
  WhatIfOptions what_if;  // empty unless the command calls what_if.add_to()

  // Adds the options. `with_engine` is false if the user cannot choose the command's engine.
  void add_to(Command& app, bool with_engine);
  // Returns the path of the platform file; nothing for a crossbar, and without $platform.
  [[nodiscard]] std::optional<std::string> platform_file() const;
  // Reads the files that the options name, and checks that the options go together. Warns if the
  // file of --parameters says that its fit is not good. If the caller has already read that file,
  // `read` is its content. Throws UserError.
  [[nodiscard]] OpenedMachine open(Messages& messages, const Parameters* read = nullptr) const;
};

// Sets `problem.place_groups` to a function that replaces --groups host, switch or group by the
// groups of ranks that share a host, switch or group of `machine`. Does nothing if the groups are
// known without a platform.
void take_groups_from(const OpenedMachine& machine, ProblemTemplate& problem);

// Parses the value of --ports: a number, or "unlimited". `from` names the option, for error
// messages.
[[nodiscard]] std::uint32_t parse_ports(std::string_view from, const std::string& text);

}}  // namespace tutti::requests
