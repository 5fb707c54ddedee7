// Measured runs of a real MPI library, from `tutti-mpi run --json`
// (src/formats/schemas/tutti-run-1.schema.json) or from the output of other benchmarks
// (points/benchmark_point.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "sim/timeline.hpp"

namespace tutti { inline namespace experiments {

struct MeasuredRun {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  std::string type;                    // data type of the elements; "" if unknown
  std::string op;                      // reduction, such as "sum"; "" if nothing is reduced
  std::optional<std::uint32_t> nodes;  // number of nodes on which the ranks ran
  bool oversubscribed = false;
  double median_s = 0;
  double low_s = 0;  // low_s and high_s: confidence interval of the median
  double high_s = 0;
  double fastest_s = 0;
  std::optional<Timeline> timeline;
};

struct MeasuredRuns {
  std::vector<MeasuredRun> runs;
  // Number of runs in the file that have no time, because they were refused.
  std::size_t refused = 0;
  // One text for each point that its algorithm refuses: the place of the point in the file, and the
  // reason.
  std::vector<std::string> refusals;
  // Descriptions of runs that are left out of `runs`, because the machine was too busy for their
  // times to mean anything.
  std::vector<std::string> too_busy;
  // Notes on the files for the user, a sentence each.
  std::vector<std::string> notes;
};

// True if the text is, as far as its beginning shows, the output of `tutti-mpi run --json`.
[[nodiscard]] bool is_of_runs(std::string_view text);

// Parses one JSON object or an array of objects. Throws UserError, which names the fault: invalid
// JSON, a schema other than tutti-run/1, a violation of this schema, an unknown algorithm, a
// problem that the algorithm refuses, times in an impossible order (such as a fastest time above
// the median), or a text without usable runs.
[[nodiscard]] MeasuredRuns parse_measured_runs(std::string_view text);
// As parse_measured_runs(), for the content of the file `path`, which errors name.
[[nodiscard]] MeasuredRuns measured_runs_in(std::string_view text, const std::string& path);

}}  // namespace tutti::experiments
