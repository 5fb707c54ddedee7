// Runs on real MPI, as `tutti-mpi run --json` wrote them: schemas/tutti-run-1.schema.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "sim/timeline.hpp"

namespace tutti {

struct MeasuredRun {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  std::string type;
  std::string op;  // "" where nothing is reduced
  bool oversubscribed = false;
  double median_s = 0;
  double low_s = 0;  // of the median's confidence interval
  double high_s = 0;
  double fastest_s = 0;
  std::optional<Timeline> timeline;
};

struct MeasuredRuns {
  std::vector<MeasuredRun> runs;
  std::size_t refused = 0;  // of the file, without a time
};

// One object or an array of them. Throws UserError that names the file and what is wrong in it: no
// JSON, another schema, an algorithm that is not known, a problem that it refuses, no run at all.
[[nodiscard]] MeasuredRuns read_measured_runs(const std::string& path);

}  // namespace tutti
