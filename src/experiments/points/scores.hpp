// Scores how well simulated times predict the measured times and the fastest algorithm.
//
// A cell is one job, collective, number of ranks and size. Each algorithm counts once in a cell.
// Cells with a single algorithm leave no choice, and are scored only if all cells have a single
// algorithm.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/points/benchmark_point.hpp"
#include "src/simulation/time_range.hpp"

namespace tutti { inline namespace experiments {

struct ScoreSelection {
  std::set<std::string, std::less<>> without;  // names of cells that are left out
  std::string only;                            // text that the name of each scored cell contains
  std::uint32_t largest_ranks = std::numeric_limits<std::uint32_t>::max();
};

// True if the selection includes the point.
[[nodiscard]] bool takes_part(const ScoreSelection& selection, const BenchmarkPoint& point);

struct ScoreCell {
  std::string name;
  std::vector<std::size_t> points;  // indices into the list of points; at least one
  std::optional<double> default_s;  // measured time of the library's own choice, in seconds
};

struct ScoreCells {
  std::vector<ScoreCell> cells;
  bool choices = true;  // true if each cell has several algorithms
  // Indices of points that are left out, because they are alone in their cells.
  std::vector<std::size_t> alone;
};
[[nodiscard]] ScoreCells score_cells(const std::vector<BenchmarkPoint>& points,
                                     const ScoreSelection& selection);

// Score over several cells. The predicted choice of a cell is the algorithm with the shortest
// predicted time. If the predicted times of several algorithms are within a factor of 1.0001 of the
// shortest, each of these algorithms counts as an equal share of the choice.
struct Score {
  std::size_t cells = 0;
  std::size_t points = 0;
  std::size_t missing = 0;  // number of cells with a missing prediction; not counted in `cells`
  double error = 0;         // exp(median of |ln(predicted / measured)|) - 1
  double bias = 1;          // median of predicted / measured
  double in_25 = 0;         // share of points whose prediction is off by a factor of at most 1.25
  double in_2x = 0;         // share of points whose prediction is off by a factor of at most 2
  double best = 0;          // share of cells whose predicted choice is really the fastest
  // Share of cells whose predicted choice takes at most 10 % more time than the fastest algorithm.
  double near = 0;
  // Measured time of the predicted choice divided by that of the fastest algorithm. `loss` is the
  // geometric mean of these ratios over the cells, and `worst` the largest ratio.
  double loss = 1;
  double worst = 1;
  // Like `loss`, but for the library's own choice, over the cells in which this choice was
  // measured.
  std::optional<double> loss_default;
  // Set if ranges are known. in_range: share of points whose measured time lies in its range.
  // sure: share of cells whose predicted choice is sure. sure_near: like `near`, over these cells;
  // empty if there are none.
  std::optional<double> in_range;
  std::optional<double> sure;
  std::optional<double> sure_near;
};

// Ranges of predicted times, and how sure choices are, with one entry for each point.
struct SurePoints {
  // Probability of a range. A choice is sure if its chance is at least as large.
  double level = 0;
  std::vector<std::optional<TimeRange>> ranges;
  // Probability that the algorithm of the point takes at most 10 % (kGoodChoice) more time than the
  // fastest one of its cell.
  std::vector<std::optional<double>> chances;
};

// Returns the score over the cells for which keep(first point of the cell) is true. `predicted_s`
// has the predicted time of each point in seconds; empty for a point without prediction. `sure` may
// be null. Returns nothing if `keep` is false for all cells.
[[nodiscard]] std::optional<Score> score(const std::vector<BenchmarkPoint>& points,
                                         const ScoreCells& cells,
                                         const std::vector<std::optional<double>>& predicted_s,
                                         const std::function<bool(const BenchmarkPoint&)>& keep,
                                         const SurePoints* sure = nullptr);

// A property of points by which scores are grouped.
struct ScoreGroup {
  std::string_view name;   // "per-node"
  std::string_view title;  // "ranks per node"
  // Returns a number by which values are sorted, and the name of the point's value. The name is ""
  // if the value is unknown.
  std::pair<std::uint64_t, std::string> (*value)(const BenchmarkPoint&);
  bool by_default = true;  // true if the group is shown by default
};
[[nodiscard]] const std::vector<ScoreGroup>& score_groups();

struct ScoreLine {
  std::string group;  // "" for the score of all cells
  std::string value;
  std::optional<Score> score;  // empty if there is no cell
};
// Returns the score of all cells, then the scores by group and value. Groups without a known value
// are left out.
[[nodiscard]] std::vector<ScoreLine> score_lines(
    const std::vector<BenchmarkPoint>& points, const ScoreCells& cells,
    const std::vector<std::optional<double>>& predicted_s,
    const std::vector<const ScoreGroup*>& groups, const SurePoints* sure = nullptr);

}}  // namespace tutti::experiments
