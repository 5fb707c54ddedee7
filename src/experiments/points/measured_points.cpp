#include "src/experiments/points/measured_points.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/printable.hpp"
#include "src/experiments/points/measured_source.hpp"

namespace tutti::inline experiments {

namespace {

MeasuredRun run_of(SourcePoint&& of) {
  MeasuredRun run;
  run.algorithm = of.point.algorithm;
  run.problem = std::move(of.problem);
  run.median_s = run.low_s = run.high_s = of.point.measured_s;
  run.fastest_s = of.point.min_s.value_or(of.point.measured_s);
  return run;
}

MeasuredRuns runs_of_json(const std::string& text, const std::string& path) {
  try {
    return parse_measured_runs(text);
  } catch (const UserError& error) {
    throw UserError(fmt::format("'{}': {}", path, error.what()));
  }
}

MeasuredRuns runs_of_points(const std::string& text, const MeasuredSource& source) {
  MeasuredRuns runs;
  SourcePoints points = points_in(text, source);
  runs.refused = points.refusals.size();
  runs.refusals = std::move(points.refusals);
  for (SourcePoint& each : points.points) {
    runs.runs.push_back(run_of(std::move(each)));
  }
  if (runs.runs.empty()) {
    throw UserError(fmt::format("'{}': the file has no usable runs{}", printable(source.path),
                                runs.refused == 0 ? "" : "; refused: " + runs.refusals.front()));
  }
  return runs;
}

}  // namespace

MeasuredRuns measured_runs_of(std::string_view from, const std::string& sources) {
  MeasuredRuns all;
  for (const MeasuredSource& source : measured_sources(from, sources)) {
    // Read each file only once, because a pipe cannot be read again.
    const std::string text = read_file(source.path, kRunsFile);
    MeasuredRuns runs =
        is_of_points(text) ? runs_of_points(text, source) : runs_of_json(text, source.path);
    all.refused += runs.refused;
    std::move(runs.refusals.begin(), runs.refusals.end(), std::back_inserter(all.refusals));
    std::move(runs.runs.begin(), runs.runs.end(), std::back_inserter(all.runs));
    std::move(runs.too_busy.begin(), runs.too_busy.end(), std::back_inserter(all.too_busy));
  }
  return all;
}

}  // namespace tutti::inline experiments
