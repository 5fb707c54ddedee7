// Options that score and fit share: files of measured points, which of them to use, and the machine
// on which they ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/experiments/points/point_machines.hpp"
#include "src/experiments/points/scores.hpp"
#include "src/requests/machine_options.hpp"

namespace tutti::inline commands {

struct PointOptions {
  std::vector<std::string> files;
  std::vector<std::string> algorithms;
  OptionText ranks;
  OptionText element_bytes;
  OptionText ranks_per_host;
  OptionText only;
  OptionText largest;
  std::vector<std::string> without;
  OptionText leave_out;
  OptionText jobs;
  MachineOptions machine;

  void add_to(Command& app);

  // Throws UserError.
  [[nodiscard]] std::vector<BenchmarkPoint> points() const;
  [[nodiscard]] std::optional<std::uint32_t> per_host() const;
  // Throws UserError if --without names a cell that has no points.
  [[nodiscard]] ScoreSelection selection(const std::vector<BenchmarkPoint>& points) const;
};

}  // namespace tutti::inline commands
