// Options that say on what a schedule runs: platform, engine, ports, prices.
#pragma once

#include "src/requests/common_options.hpp"
#include "src/requests/problem_template.hpp"
#include "src/requests/what_if_options.hpp"
#include "src/simulation/machine_spec.hpp"

namespace tutti::inline requests {

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
  WhatIfOptions what_if;  // where the command has them: add_to() of theirs

  // Without an engine option where the command runs none of the user's choice.
  void add_to(Command& app, bool with_engine);
  // The one place where these words become values, and where the files that they name are read.
  // Says on stderr what the file of --parameters doubts. Throws UserError. `read`: what is in that
  // file, for whoever has read it.
  [[nodiscard]] OpenedMachine open(const Parameters* read = nullptr) const;
};

// Problems of the template take the groups that --groups names by host or switch from this machine.
void take_groups_from(const OpenedMachine& machine, ProblemTemplate& problem);

// --ports: a number, or "unlimited"; `from` is what says so, for messages.
[[nodiscard]] std::uint32_t parse_ports(const std::string& from, const std::string& text);

}  // namespace tutti::inline requests
