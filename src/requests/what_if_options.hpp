// Options to change the platform, or to add random disturbances to a simulation.
#pragma once

#include <string>
#include <vector>

#include "src/requests/common_options.hpp"
#include "src/simulation/machine_spec.hpp"

namespace tutti { inline namespace requests {

// A speed to multiply: NAME*FACTOR.
struct SlowedPart {
  std::string name;  // may contain stars
  double factor = 1;
};

// How late the ranks start: at random times in a range, or at the times in a file.
struct LateRanks {
  double from_s = 0;
  double to_s = 0;
  std::string file;  // "" for a range
};

struct WhatIfOptions {
  // Changes, whose names depend on the message model in the file of --parameters.
  std::optional<std::string> what_if;
  std::vector<ValueWithText<SlowedPart>> slow_links;
  std::vector<ValueWithText<SlowedPart>> slow_hosts;
  std::optional<ValueWithText<LateRanks>> late_ranks;
  std::optional<ValueWithText<double>> jitter;
  std::optional<ValueWithText<std::uint32_t>> seed;
  std::optional<ValueWithText<std::uint32_t>> repeat;
  bool seed_of_ties = false;  // true if --ties also uses the seed

  // Adds the options. `of_ties` is true if the command has the option --ties, which also uses the
  // seed.
  void add_to(Command& app, bool of_ties);
  // Applies the options to `machine`, to which all other options must already have been applied.
  // Throws UserError. Does not check whether the platform has the links and hosts that the options
  // name; describe() and the engines check that later.
  void apply(OpenedMachine& machine) const;
  [[nodiscard]] bool any() const;
  [[nodiscard]] std::uint64_t seed_or(std::uint64_t otherwise) const {
    return seed ? seed->value : otherwise;
  }

 private:
  void apply_disturbance(MachineSpec& machine) const;
};

// Reads a file with one time, such as 5us, on each line; # begins a comment. Returns how late each
// rank starts, in seconds. Throws UserError.
[[nodiscard]] std::vector<double> read_late_ranks(const std::string& path);

}}  // namespace tutti::requests
