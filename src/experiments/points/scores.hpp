// How well simulated times tell measured ones, and which algorithm is fastest.
//
// A cell is one job, collective and size; in it every algorithm counts once. Cells of one algorithm
// have nothing to choose from: they are scored only where there are no others.
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

namespace tutti::inline experiments {

struct ScoreSelection {
  std::set<std::string, std::less<>> without;  // cells by name
  std::string only;                            // cells that have it in their name
  std::uint32_t largest_ranks = std::numeric_limits<std::uint32_t>::max();
};

// Whether the selection leaves it in.
[[nodiscard]] bool takes_part(const ScoreSelection& selection, const BenchmarkPoint& point);

struct ScoreCell {
  std::string name;
  std::vector<std::size_t> points;  // their places in the list of points; at least one
  std::optional<double> default_s;  // what the library's own choice took
};

struct ScoreCells {
  std::vector<ScoreCell> cells;
  bool choices = true;       // there is something to choose from in each
  std::size_t left_out = 0;  // for having one algorithm alone
};
[[nodiscard]] ScoreCells score_cells(const std::vector<BenchmarkPoint>& points,
                                     const ScoreSelection& selection);

// Of some cells. Predictions that are equal up to 1e-4 share the choice evenly.
struct Score {
  std::size_t cells = 0;
  std::size_t points = 0;
  std::size_t missing = 0;  // cells that lack a prediction, and are not among `cells`
  double error = 0;         // median of |ln(predicted / measured)|, as a factor less 1
  double bias = 1;          // median of predicted / measured
  double in_25 = 0;         // the part of points that are off by at most 1.25
  double in_2x = 0;         // by at most 2
  double best = 0;          // the part of cells whose fastest is predicted to be it
  double near = 0;          // or one that takes at most 10 % more
  double loss = 1;          // what follows from the choices, over the best: geometric mean
  double worst = 1;         // largest of these
  std::optional<double> loss_default;  // of the library's choices, on cells where there are any
};

// Gives predicted seconds, or nothing, for each point by its place. Nothing where there is no cell
// to score.
[[nodiscard]] std::optional<Score> score(const std::vector<BenchmarkPoint>& points,
                                         const ScoreCells& cells,
                                         const std::vector<std::optional<double>>& predicted_s,
                                         const std::function<bool(const BenchmarkPoint&)>& keep);

// What scores are shown by.
struct ScoreGroup {
  std::string_view name;   // "per-node"
  std::string_view title;  // "ranks a node"
  // Of a point: where it stands among the values, and how it is called; "" where nobody knows.
  std::pair<std::uint64_t, std::string> (*value)(const BenchmarkPoint&);
  bool unasked = true;  // shown where nobody says which
};
[[nodiscard]] const std::vector<ScoreGroup>& score_groups();

struct ScoreLine {
  std::string group;  // "" for all
  std::string value;
  std::optional<Score> score;  // nothing where there is no cell
};
// All, and then by group and value; groups of which nothing is known are left out.
[[nodiscard]] std::vector<ScoreLine> score_lines(
    const std::vector<BenchmarkPoint>& points, const ScoreCells& cells,
    const std::vector<std::optional<double>>& predicted_s,
    const std::vector<const ScoreGroup*>& groups);

}  // namespace tutti::inline experiments
