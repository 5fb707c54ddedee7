// Options to simulate a changed platform, or one with disturbances.
#pragma once

#include <string>
#include <vector>

#include "src/requests/common_options.hpp"
#include "src/simulation/machine_spec.hpp"

namespace tutti::inline requests {

struct WhatIfOptions {
  OptionText what_if;
  std::vector<std::string> slow_links;
  std::vector<std::string> slow_hosts;
  OptionText late_ranks;
  OptionText jitter;
  OptionText seed;
  OptionText repeat;
  bool seed_of_ties = false;  // --ties also uses the seed

  // `of_ties`: the command also draws numbers for --ties.
  void add_to(Command& app, bool of_ties);
  // Applies the options to `machine`, to which all other options must already have been applied.
  // Throws UserError. Links and hosts that the platform does not have are reported later, by a run
  // or by describe().
  void apply(OpenedMachine& machine) const;
  [[nodiscard]] bool any() const;
  [[nodiscard]] std::uint64_t seed_or(std::uint64_t otherwise) const;
};

// Reads how late each rank is, in seconds, from a file with one time on each line; # begins a
// comment. Throws UserError.
[[nodiscard]] std::vector<double> read_late_ranks(const std::string& path);

}  // namespace tutti::inline requests
