// Ranges of the predicted times of benchmark points, and how sure the choice in each cell is.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <vector>

#include "base/messages.hpp"
#include "src/experiments/points/point_runs.hpp"
#include "src/experiments/points/scores.hpp"

namespace tutti { inline namespace experiments {

// Simulates the points of the cells with the drawn models of their machines, `jobs` points at a
// time. `predicted_s` has one entry for each point: its predicted time; points without one are left
// out, and their cells have no chances. Throws UserError if the uncertainty of a machine's model is
// not known (uncertainty_of()).
[[nodiscard]] SurePoints sure_points(const std::vector<BenchmarkPoint>& points,
                                     const ScoreCells& cells,
                                     const std::vector<std::optional<double>>& predicted_s,
                                     double level, PointMachines& machines,
                                     std::optional<std::uint32_t> ranks_per_host, std::size_t jobs,
                                     Messages& messages);

}}  // namespace tutti::experiments
