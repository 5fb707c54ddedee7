// What points were measured on, from options that name a file for each machine, job or number of
// ranks: --platform 'platforms/{machine}.xml'.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/experiments/points/benchmark_point.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/parameters.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline experiments {

// The option's text with what the point has for {machine}, {job} and {ranks}. Throws UserError for
// another name in braces, and where the point does not say.
[[nodiscard]] std::string fill_pattern(std::string_view option, const std::string& pattern,
                                       const BenchmarkPoint& point);

// Points of the same files and ranks have one machine, which lives as long as this.
class PointMachines {
 public:
  // `ranks_per_host`: in place of what points say. `parameters`: what the file of --parameters has,
  // where it is one for all points and was read before.
  PointMachines(MachineOptions options, std::optional<std::uint32_t> ranks_per_host,
                std::optional<Parameters> parameters = {})
      : options_(std::move(options)),
        ranks_per_host_(ranks_per_host),
        parameters_(std::move(parameters)) {}

  // Throws UserError for what machine options refuse.
  [[nodiscard]] const Machine& of(const BenchmarkPoint& point, const Problem& problem);

 private:
  using Files = std::vector<std::string>;
  struct Ranks {
    std::uint32_t ranks = 0;
    std::uint32_t per_host = 0;
    std::uint32_t element_bytes = 0;
    friend auto operator<=>(const Ranks&, const Ranks&) = default;
  };
  struct Opened {
    OpenedMachine machine;
    std::map<Ranks, Machine> of_ranks;
  };
  MachineOptions options_;
  std::optional<std::uint32_t> ranks_per_host_;
  std::optional<Parameters> parameters_;
  std::map<Files, Opened> machines_;
};

}  // namespace tutti::inline experiments
