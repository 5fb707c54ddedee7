// Scores of simulated times against measured ones, as text and as JSON.
#pragma once

#include <iosfwd>
#include <optional>
#include <vector>

#include "src/experiments/points/point_runs.hpp"
#include "src/experiments/points/scores.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

struct ScoreReport {
  const std::vector<BenchmarkPoint>* points = nullptr;
  const PointRuns* runs = nullptr;
  std::optional<SurePoints> sure;  // set if requested
  ScoreCells cells;
  std::vector<ScoreLine> lines;
};

// Prints a table of scores, the points whose prediction is wrong by a large factor, and the points
// without a prediction.
void print_scores(const ScoreReport& report, std::ostream& out);
extern const DocumentOf<ScoreReport> kScoreDocument;
// Writes a line for each point that was scored, with its measured and predicted time.
void write_points_csv(const ScoreReport& report, std::ostream& out);

}}  // namespace tutti::output
