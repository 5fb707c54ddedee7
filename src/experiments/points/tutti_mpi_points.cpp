// Points from the JSON files that `tutti-mpi run` and `tutti-mpi calibrate` write.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "schedules/run_words.hpp"
#include "src/experiments/points/measured_run.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/requests/parameters.hpp"

namespace tutti { inline namespace experiments {

namespace {

BenchmarkPoint point_of(const MeasuredRun& run, const std::string& path,
                        const PointDefaults& defaults) {
  const Problem& problem = run.problem;
  BenchmarkPoint point;
  point.file = path;
  point.collective = problem.collective;
  point.ranks = problem.ranks;
  point.bytes = problem.bytes;
  // On one node, the platform that calibrate writes has a host for each rank.
  if (run.nodes > 1U) {
    point.nodes = run.nodes;
  }
  point.element_bytes = problem.element_bytes;
  const std::string options = options_text(*run.algorithm, problem);
  take_algorithm(point, "algorithm",
                 fmt::format("{}{}{}", run.algorithm->name, options.empty() ? "" : " ", options));
  point.measured_s = run.median_s;
  point.min_s = run.fastest_s;
  complete_point(point, defaults);
  return point;
}

void note_left_out(const std::string& path, std::string_view why,
                   const std::vector<std::string>& runs, std::vector<std::string>& notes) {
  if (!runs.empty()) {
    notes.push_back(fmt::format("'{}': left out {} {}, such as {}", shortened(printable(path)),
                                counted(runs.size(), "run"), why, runs.front()));
  }
}

std::vector<BenchmarkPoint> points_of_runs(std::string_view text, const std::string& path,
                                           const PointDefaults& defaults,
                                           std::vector<std::string>& notes) {
  const MeasuredRuns all = measured_runs_in(text, path);
  std::vector<BenchmarkPoint> points;
  std::vector<std::string> other_roots;
  std::vector<std::string> shared_cores;
  for (const MeasuredRun& run : all.runs) {
    const std::string in_words = fmt::format("{}, {}, {} bytes", run.algorithm->full_name(),
                                             counted(run.problem.ranks, "rank"), run.problem.bytes);
    if (run.problem.root != 0) {
      other_roots.push_back(in_words);
    } else if (run.oversubscribed) {
      shared_cores.push_back(in_words);
    } else {
      points.push_back(point_of(run, path, defaults));
    }
  }
  note_left_out(path, "of another root than rank 0", other_roots, notes);
  note_left_out(path, "in which ranks shared cores", shared_cores, notes);
  note_left_out(path, "during which the machine was too busy for reliable times", all.too_busy,
                notes);
  return points;
}

// True if the text is the output of `tutti-mpi calibrate --json`.
bool is_calibration(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' &&
         text.find("\"tutti-parameters/1\"") != std::string_view::npos;
}

// Returns a collective on 2 ranks that consists of the message, or of the exchange of two messages,
// that calibrate timed. Empty for times of other kinds, for which there is none. As for runs, the
// number of nodes is set only if messages between nodes were timed, too.
std::optional<BenchmarkPoint> point_of(const MeasuredPoint& measured, bool several_nodes) {
  BenchmarkPoint point;
  const bool one_way = measured.what.ends_with(".one_way");
  if (measured.working_set_bytes > 0 || (!one_way && !measured.what.ends_with(".exchange"))) {
    return std::nullopt;
  }
  const bool within = measured.what.starts_with("within_node.");
  point.ranks = 2;
  if (several_nodes) {
    point.nodes = within ? 1 : 2;
  }
  point.job = within ? "within_node" : "between_nodes";
  point.collective = one_way ? Collective::bcast : Collective::allgather;
  // In an allgather, each of the two ranks sends its half of the vector.
  point.bytes = one_way ? measured.bytes : 2 * measured.bytes;
  take_algorithm(point, "what", one_way ? "binomial" : "ring");
  point.measured_s = measured.seconds;
  return point;
}

std::vector<BenchmarkPoint> points_of_calibration(std::string_view text, const std::string& path,
                                                  const PointDefaults& defaults,
                                                  std::vector<std::string>& notes) {
  std::vector<BenchmarkPoint> points;
  const Parameters parameters = [&] {
    try {
      return parse_parameters(text);
    } catch (const UserError& error) {
      throw UserError(fmt::format("'{}': {}", shortened(printable(path)), error.what()));
    }
  }();
  for (const MeasuredPoint& measured : parameters.points) {
    std::optional<BenchmarkPoint> point = point_of(measured, parameters.between.has_value());
    if (!point) {
      continue;
    }
    point->file = path;
    point->element_bytes = bytes_of_type(parameters.type);
    complete_point(*point, defaults);
    points.push_back(std::move(*point));
  }
  notes.push_back(
      fmt::format("'{}': uses the {} of messages in caches, as broadcasts and allgathers on 2 "
                  "ranks; leaves out "
                  "{} of reductions, copies and messages in memory",
                  shortened(printable(path)), counted(points.size(), "time"),
                  counted(parameters.points.size() - points.size(), "time")));
  return points;
}

}  // namespace

std::optional<std::vector<BenchmarkPoint>> points_of_tutti_mpi(std::string_view text,
                                                               const std::string& path,
                                                               const PointDefaults& defaults,
                                                               std::vector<std::string>& notes) {
  if (is_of_runs(text)) {
    return points_of_runs(text, path, defaults, notes);
  }
  if (is_calibration(text)) {
    return points_of_calibration(text, path, defaults, notes);
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && (text[first] == '{' || text[first] == '[') &&
      !is_benchmark_output(text)) {
    throw UserError(fmt::format("'{}': is JSON, but not of {} or {}, whose times are read",
                                shortened(printable(path)), shell_command("tutti-mpi run $json"),
                                shell_command("tutti-mpi calibrate $json")));
  }
  return std::nullopt;
}

}}  // namespace tutti::experiments
