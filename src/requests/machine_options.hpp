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

struct MachineOptions {
  OptionText platform;
  OptionText engine;
  OptionText symmetry;
  OptionText tolerance;
  OptionText network_model;
  OptionText ports;
  OptionText placement;
  OptionText hosts;
  OptionText alpha;
  OptionText beta;
  OptionText gamma;
  OptionText copy_cost;
  OptionText parameters;
  OptionText eager;
  bool after_barrier = false;
  WhatIfOptions what_if;  // empty unless the command calls what_if.add_to()

  // Adds the options. `with_engine` is false if the user cannot choose the command's engine.
  void add_to(Command& app, bool with_engine);
  // Converts the texts of the options to values, and reads the files that the options name. Warns
  // if the file of --parameters says that its fit is not good. If the caller has already read that
  // file, `read` is its content. Throws UserError.
  [[nodiscard]] OpenedMachine open(Messages& messages, const Parameters* read = nullptr) const;
};

// Sets `problem.place_groups` to a function that replaces --groups host, switch or group by the
// groups of ranks that share a host, switch or group of `machine`. Does nothing if the groups are
// known without a platform.
void take_groups_from(const OpenedMachine& machine, ProblemTemplate& problem);

// Parses the value of --ports: a number, or "unlimited". `from` names the option, for error
// messages.
[[nodiscard]] std::uint32_t parse_ports(const std::string& from, const std::string& text);

}}  // namespace tutti::requests
