// tutti score: compares simulated times with measured ones, over many jobs and machines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/fit_fabric.hpp"
#include "src/commands/point_options.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/points/point_runs.hpp"
#include "src/experiments/points/sure_points.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/score_text.hpp"
#include "src/requests/common_options.hpp"
#include "src/simulation/model_uncertainty.hpp"

namespace tutti { inline namespace commands {

namespace {

struct ScoreOptions {
  PointOptions points;
  NcclOptions nccl;
  std::optional<std::string> library;
  SweepOptions sweep;
  std::vector<std::string> by;
  SureLevel sure;
  JsonPath json;
  std::optional<std::string> csv;  // path of a file
};

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const ScoreGroup& group : score_groups()) {
    names.emplace_back(group.name);
  }
  return names;
}

std::vector<const ScoreGroup*> groups_by(const std::vector<std::string>& by) {
  std::vector<const ScoreGroup*> groups;
  for (const ScoreGroup& group : score_groups()) {
    if (by.empty() ? group.by_default : std::ranges::find(by, group.name) != by.end()) {
      groups.push_back(&group);
    }
  }
  return groups;
}

int score_points(const ScoreOptions& options, Streams streams) {
  if (is_for_nccl(options.points, options.nccl, options.library)) {
    constexpr std::array<std::string_view, 5> kAllowed{"--library", "--ranks", "--platform",
                                                       "--parameters", "--json"};
    FabricRequest request = fabric_request(options.points, options.nccl, options.library, kAllowed);
    request.json = options.json;
    return score_fabric(request, streams);
  }
  check_one_standard_output({&options.json, &options.csv});
  const std::vector<const ScoreGroup*> groups = groups_by(options.by);
  std::vector<std::string> notes;
  std::vector<std::string> files = options.points.files;
  const std::vector<BenchmarkPoint> points = options.points.read_points_of(files, notes);
  ScoreReport report;
  report.points = &points;
  report.cells = score_cells(points, options.points.selection(points));
  if (report.cells.cells.empty()) {
    throw UserError(
        "no cells are left to score: $only, $largest, $without and $leave_out exclude all of "
        "them");
  }
  options.points.check_machine(points);
  OptionalOutput json_file("$json", options.json, kJsonFile, streams.out);
  OptionalOutput csv_file("$points_csv", options.csv, kCsvFile, streams.out);
  std::vector<std::size_t> places;
  for (const ScoreCell& cell : report.cells.cells) {
    places.insert(places.end(), cell.points.begin(), cell.points.end());
  }
  const std::optional<std::uint32_t> per_host = options.points.ranks_per_host;
  PointMachines machines(options.points.machine, streams.messages, per_host);
  if (options.sure) {
    for (const std::size_t i : places) {
      (void)uncertainty_of(machines.of(points[i], problem_of(points[i], per_host)));
    }
  }
  const PointRuns runs = run_points(points, places, machines, per_host, options.sweep,
                                    options.points.jobs, streams.messages);
  // Not before the runs: a file that is refused gets one line.
  report_notes(notes, streams.messages);
  report.runs = &runs;
  if (options.sure) {
    report.sure = sure_points(points, report.cells, runs.predicted_s, options.sure->value, machines,
                              per_host, options.points.jobs, streams.messages);
  }
  report.lines = score_lines(points, report.cells, runs.predicted_s, groups,
                             report.sure ? &*report.sure : nullptr);
  write_together(
      {{json_file, [&](std::ostream& out) { write_document(kScoreDocument, report, 2, out); }},
       {csv_file, [&](std::ostream& out) { write_points_csv(report, out); }}});
  if (options.json != "-" && options.csv != "-") {
    print_scores(report, streams.out);
  }
  return runs.lost ? kExitCheckFailed : kExitOk;
}

}  // namespace

Action add_score(Command& app, Streams streams) {
  Command& command = app.add_command(
      "score", "Compare simulated times with measured ones, over many jobs and machines");
  auto options = std::make_shared<ScoreOptions>();
  options->points.add_to(command);
  options->nccl.add_to(command, "none: schedules are simulated");
  add_nccl_library(OptionGroup(command, "Options"), options->library);
  add_sweep_options(command, options->sweep, streams);
  const OptionGroup output(command, "Output");
  output
      .add("--by", options->by, "WHAT,...",
           "Group scores by machine, collective, bytes, nodes, per-node (ranks on a node), job or "
           "ranks [all but the last two]",
           AsWord<group_names>())
      .delimiter(',')
      .one_at_a_time()
      .usual();
  add_sure(output, options->sure,
           "Also give, for each predicted time, the range in which the true time lies with this "
           "probability, and count the points in their range and the choices that are this sure");
  add_json_option(command, options->json, "scores and points");
  output.add("--points-csv", options->csv, kWrittenFile,
             "Write predicted and measured times as comma-separated values; - is standard output");
  command.add_examples(
      {"tutti score examples/fit/points.csv --platform platforms/infiniband_hdr_128_thin.xml",
       "tutti score examples/fit/points.csv --platform platforms/infiniband_hdr_128_thin.xml "
       "--parameters examples/fit/start.json --by job,collective",
       "tutti score examples/fit/osu_allreduce.txt --algorithm allreduce/ring -p 16 "
       "--platform crossbar:16,bw=100Gbps,lat=1us --json -"});
  return [options, streams] { return score_points(*options, streams); };
}

}}  // namespace tutti::commands
