// Simulates benchmark points on the machines on which they were measured. A machine option may name
// a different file for each machine, job or number of ranks, as in --platform
// 'platforms/{machine}.xml'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/messages.hpp"
#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/sweep/run_cells.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/parameters.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace experiments {

// Returns `pattern`, the value of `option`, with {machine}, {job} and {ranks} replaced by the
// values of the point. Throws UserError for another name in braces, and for a value that the point
// does not have.
[[nodiscard]] std::string fill_pattern(std::string_view option, const std::string& pattern,
                                       const BenchmarkPoint& point);

// Points with the same files, number of ranks, ranks per host, element size and barrier share one
// machine, which lives as long as this object.
class PointMachines {
 public:
  // If `ranks_per_host` is set, it replaces the values of the points. If all points share one file
  // of --parameters, and the caller has already read this file, `parameters` is the file's content.
  PointMachines(MachineOptions options, Messages& messages,
                std::optional<std::uint32_t> ranks_per_host,
                std::optional<Parameters> parameters = {})
      : options_(std::move(options)),
        messages_(messages),
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
    std::string barrier;
    friend auto operator<=>(const Ranks&, const Ranks&) = default;
  };
  struct MachinesOfRanks {
    OpenedMachine machine;
    std::map<Ranks, Machine> of_ranks;
  };
  MachineOptions options_;
  Messages& messages_;
  std::optional<std::uint32_t> ranks_per_host_;
  std::optional<Parameters> parameters_;
  std::map<Files, MachinesOfRanks> machines_;
};

struct PointRuns {
  // Predicted time of each point, in seconds; empty if the point was not run, or if its run has no
  // result.
  std::vector<std::optional<double>> predicted_s;
  std::vector<std::string> why_not;  // why a point that was run has no result; else ""
  bool lost = false;                 // true if a run has failed; its error was printed
};

// Runs the points at the indices `places`, `jobs` at a time. Throws UserError if a point or a
// machine option is invalid. Throws ShardEnd (sweep/shard.hpp) if some cells belong to other
// shards. A point that its algorithm refuses has no result.
[[nodiscard]] PointRuns run_points(const std::vector<BenchmarkPoint>& points,
                                   const std::vector<std::size_t>& places, PointMachines& machines,
                                   std::optional<std::uint32_t> ranks_per_host,
                                   const SweepOptions& sweep, std::size_t jobs, Messages& messages);

}}  // namespace tutti::experiments
