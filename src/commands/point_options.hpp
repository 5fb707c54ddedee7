// Options that the commands score and fit share: the files with measured points, the selection of
// points, and the machine on which to simulate the points.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/experiments/points/point_runs.hpp"
#include "src/experiments/points/scores.hpp"
#include "src/requests/machine_options.hpp"

namespace tutti { inline namespace commands {

struct PointOptions {
  std::vector<std::string> files;
  std::vector<std::string> algorithms;
  std::optional<ValueWithText<std::uint32_t>> ranks;
  std::optional<std::uint32_t> element_bytes;
  std::optional<std::uint32_t> ranks_per_host;
  std::string only;  // text in the names of cells
  std::optional<std::uint32_t> largest_ranks;
  std::vector<std::string> without;      // names of cells
  std::optional<std::string> leave_out;  // path of a file
  std::size_t jobs = processors();
  MachineOptions machine;

  // `without_files`: what the command does if the user names no file, for help; "" if it needs one.
  void add_to(Command& app, const std::string& without_files = "");

  // Replaces the folders in `paths` by the files in them, and reads the points from these files.
  // `notes` receives what the user should know about the files. Throws UserError if a file is
  // invalid, or if no point has a known algorithm.
  [[nodiscard]] std::vector<BenchmarkPoint> read_points_of(std::vector<std::string>& paths,
                                                           std::vector<std::string>& notes) const;
  // Throws UserError, which asks for the machine, if the options do not describe one.
  void check_machine(const std::vector<BenchmarkPoint>& points) const;
  // Returns the options that select the points to use. Throws UserError if --without names a cell
  // without points, or if the file of --leave-out is invalid.
  [[nodiscard]] ScoreSelection selection(const std::vector<BenchmarkPoint>& points) const;
};

}}  // namespace tutti::commands
