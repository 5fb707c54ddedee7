// Scores of simulated times against measured ones, for people and for programs.
#pragma once

#include <iosfwd>
#include <vector>

#include "src/experiments/points/point_runs.hpp"
#include "src/experiments/points/scores.hpp"

namespace tutti::inline output {

struct ScoreReport {
  const std::vector<BenchmarkPoint>* points = nullptr;
  const PointRuns* runs = nullptr;
  ScoreCells cells;
  std::vector<ScoreLine> lines;
};

// A table, and which points are far off.
void print_scores(const ScoreReport& report, std::ostream& out);
// src/formats/schemas/tutti-score-1.schema.json.
void write_score_json(const ScoreReport& report, std::ostream& out);
// A line for each point that was scored: measured and predicted.
void write_points_csv(const ScoreReport& report, std::ostream& out);

}  // namespace tutti::inline output
