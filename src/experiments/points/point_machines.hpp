// Machines on which points were measured. A machine option may name a different file for each
// machine, job or number of ranks, as in --platform 'platforms/{machine}.xml'.
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

// Returns `pattern`, the value of `option`, with {machine}, {job} and {ranks} replaced by the
// values of the point. Throws UserError for another name in braces, and for a value that the point
// does not have.
[[nodiscard]] std::string fill_pattern(std::string_view option, const std::string& pattern,
                                       const BenchmarkPoint& point);

// Points with the same files, number of ranks, ranks per host and element size share one machine,
// which lives as long as this object.
class PointMachines {
 public:
  // If `ranks_per_host` is set, it replaces the values of the points. If all points share one file
  // of --parameters, and the caller has already read this file, `parameters` is the file's content.
  PointMachines(MachineOptions options, std::optional<std::uint32_t> ranks_per_host,
                std::optional<Parameters> parameters = {})
      : options_(std::move(options)),
        ranks_per_host_(ranks_per_host),
        parameters_(std::move(parameters)) {}

  // Returns the machine of a point. Throws UserError for invalid machine options.
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
