// Runs on real MPI, as `tutti-mpi run --json` wrote them
// (src/formats/schemas/tutti-run-1.schema.json), or as points of benchmarks
// (points/benchmark_point.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "sim/timeline.hpp"

namespace tutti::inline experiments {

struct MeasuredRun {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  std::string type;  // "" where nobody has said it
  std::string op;    // "" where nothing is reduced
  bool oversubscribed = false;
  double median_s = 0;
  double low_s = 0;  // of the median's confidence interval
  double high_s = 0;
  double fastest_s = 0;
  std::optional<Timeline> timeline;
};

struct MeasuredRuns {
  std::vector<MeasuredRun> runs;
  std::size_t refused = 0;  // of the file: without a time, or no run of their algorithm
  // Of points that their algorithm refuses: where they stand, and why.
  std::vector<std::string> refusals;
  // Runs of the file on a machine too busy for their times to say anything: none of `runs`. In
  // words.
  std::vector<std::string> too_busy;
};

// One object or an array of them, in JSON. Throws UserError that names what is wrong: no JSON,
// another schema, what the schema does not take, an algorithm that is not known, a problem that it
// refuses, times out of order, no run at all.
[[nodiscard]] MeasuredRuns parse_measured_runs(std::string_view text);

}  // namespace tutti::inline experiments
