// Options that ask what would be if the platform were otherwise, or not healthy.
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
  bool seed_of_ties = false;  // something else draws by the seed as well

  // `of_ties`: the command also draws numbers for --ties.
  void add_to(Command& app, bool of_ties);
  // After all other options. Throws UserError; for links and hosts that the platform does not have,
  // a run does, or describe().
  void apply(OpenedMachine& machine) const;
  [[nodiscard]] bool any() const;
  [[nodiscard]] std::uint64_t seed_or(std::uint64_t otherwise) const;
};

// Seconds by which each rank is late, one a line; # begins a comment. Throws UserError.
[[nodiscard]] std::vector<double> read_late_ranks(const std::string& path);

}  // namespace tutti::inline requests
