// Simulates benchmark points.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/points/point_machines.hpp"
#include "src/experiments/sweep/run_cells.hpp"

namespace tutti::inline experiments {

struct PointRuns {
  // Predicted time of each point, in seconds; empty if the point was not run, or if its run has no
  // result.
  std::vector<std::optional<double>> predicted_s;
  std::vector<std::string> why_not;  // why a point that was run has no result; else ""
  bool lost = false;                 // true if a run has failed; its error was printed
};

// Runs the points at the indices `places`, `jobs` at a time. Throws UserError if a point or a
// machine option is invalid. Throws ShardDone (sweep/shard.hpp) if some cells belong to other
// shards. A point that its algorithm refuses has no result.
[[nodiscard]] PointRuns run_points(const std::vector<BenchmarkPoint>& points,
                                   const std::vector<std::size_t>& places, PointMachines& machines,
                                   std::optional<std::uint32_t> ranks_per_host,
                                   const SweepOptions& sweep, std::size_t jobs, std::ostream& err);

}  // namespace tutti::inline experiments
