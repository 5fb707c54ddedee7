// Options of `tutti fit`, and the part of the command that plans benchmark runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/commands/command.hpp"
#include "src/commands/point_options.hpp"
#include "src/commands/shared_options.hpp"
#include "src/requests/nccl_options.hpp"

namespace tutti { inline namespace commands {

struct FitOptions {
  PointOptions points;
  NcclOptions nccl;
  std::optional<std::string> library;
  std::vector<std::string> parameters;
  std::vector<std::string> jobs;
  std::optional<ValueWithText<double>> prior;
  std::vector<std::string> spread_files;
  bool leave_out_jobs = false;
  std::optional<double> plan_s;
  std::optional<ValueWithText<std::uint32_t>> count;
  std::optional<std::string> output;  // path of a file
  JsonPath json;
};

// True if the point is from a file of --spread-only.
[[nodiscard]] bool counts_for_spread_only(const FitOptions& options, const BenchmarkPoint& point);

// Returns the indices of the points to which the parameters are fitted: those that the options
// select, except points of --spread-only and points for which a library itself chose the algorithm,
// because that algorithm is unknown.
[[nodiscard]] std::vector<std::size_t> fitted_places(const FitOptions& options,
                                                     const std::vector<BenchmarkPoint>& points);

// Returns the path of the file with the starting values. The value of --parameters may be a
// pattern, from which the path for each point is formed. Throws UserError if the points have
// different paths.
[[nodiscard]] std::string start_file(const FitOptions& options,
                                     const std::vector<BenchmarkPoint>& points,
                                     const std::vector<std::size_t>& places);

// Chooses benchmark runs, and prints or writes them. Returns the exit status.
int plan_fit(const FitOptions& options, Streams streams);

}}  // namespace tutti::commands
