// JSON and CSV output of runs on real MPI: src/formats/schemas/tutti-run-1.schema.json defines the
// JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>

#include "base/field_names.hpp"
#include "schedules/collective.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/option_json.hpp"
#include "src/mpi/run_report.hpp"

namespace tutti::mpi {

namespace {

using Json = nlohmann::ordered_json;

// Returns the fields that are neither objects nor arrays. These are also the columns of the CSV.
Json scalars(const JobFacts& job, const RunReport& report) {
  const Problem& problem = report.problem;
  Json json;
  json["schema"] = "tutti-run/1";
  json["collective"] = name(problem.collective);
  json["algorithm"] = report.algorithm;
  json["ranks"] = problem.ranks;
  json["bytes"] = problem.bytes;
  json["element_bytes"] = problem.element_bytes;
  json["type"] = name(job.element.type);
  json["op"] = reduces(problem.collective) ? Json(name(job.element.op)) : Json();
  json["root"] = has_root(problem.collective) ? Json(problem.root) : Json();
  put_options(json, *report.facts, problem, RecordOf::mpi);
  json["engine"] = "mpi";
  json["library"] = job.library;
  json["nodes"] = job.nodes;
  json["placement"] = job.placement;
  json["oversubscribed"] = job.oversubscribed;
  if (report.refusal) {
    json["refused"] = with_fields(report.refusal->text);
    return json;
  }
  json["messages"] = report.messages;
  json["bytes_sent"] = report.bytes_sent;
  json["bytes_reduced"] = report.bytes_reduced;
  json["ops"] = report.ops;
  json["dependencies"] = report.dependencies;
  json["rounds"] = report.rounds;
  const Summary ours = summary_of(report.counted_ours.times);
  json["warmup"] = job.warmup;
  json["iterations"] = ours.iterations;
  json["left_out"] = report.left_out();
  json["disturbed"] = report.disturbed();
  json["too_busy"] = report.too_busy();
  json["median_s"] = ours.median_s;
  json["median_low_s"] = ours.low_s;
  json["median_high_s"] = ours.high_s;
  json["fastest_s"] = ours.fastest_s;
  json["first_rank_s"] = ours.least_rank_s;
  json["last_rank_s"] = ours.most_rank_s;
  const Summary library = summary_of(report.counted_library.times);
  const bool with_library = library.iterations > 0;
  json["library_call"] = with_library ? Json(report.library_call) : Json();
  json["library_median_s"] = with_library ? Json(library.median_s) : Json();
  json["library_fastest_s"] = with_library ? Json(library.fastest_s) : Json();
  json["check"] = report.check;
  json["bytes_compared"] = report.bytes_compared;
  json["runs_compared"] = report.runs_compared;
  json["relative_bound"] = relative_bound(job.element, problem.ranks);
  json["clock_error_s"] = report.clock_error_s;
  return json;
}

Json with_lists(const JobFacts& job, const RunReport& report) {
  Json json = scalars(job, report);
  // Writes block sizes only if blocks are uneven, because the sizes of even blocks follow from the
  // other values.
  put_option_lists(json, report.problem);
  if (report.refusal) {
    return json;
  }
  json["times_s"] = slowest_rank(report.counted_ours.times);
  json["library_times_s"] = slowest_rank(report.counted_library.times);
  json["wrong"] = report.wrong;
  if (const auto& timeline = report.timeline) {
    json["timeline"] = {{"start_s", timeline->start_s},
                        {"end_s", timeline->end_s},
                        {"receive_start_s", timeline->receive_start_s},
                        {"receive_end_s", timeline->receive_end_s},
                        {"total_s", timeline->total_s}};
  }
  return json;
}

}  // namespace

void write_reports_json(const JobFacts& job, const std::vector<RunReport>& reports, bool several,
                        std::ostream& out) {
  Json list = Json::array();
  for (const RunReport& report : reports) {
    list.push_back(with_lists(job, report));
  }
  // Each of several runs is written on one line, because indentation would put each number of a
  // list of times on its own line.
  if (!several) {
    out << json_text(list.front(), 2) << '\n';
    return;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    out << (i == 0 ? "[" : ",\n ") << json_text(list[i]);
  }
  out << "]\n";
}

void write_reports_csv(const JobFacts& job, const std::vector<RunReport>& reports,
                       std::ostream& out) {
  Json columns;
  for (const RunReport& report : reports) {
    const Json row = scalars(job, report);
    if (columns.size() < row.size()) {
      columns = row;
    }
  }
  columns["refused"] = nullptr;
  out << csv_names_line(columns);
  for (const RunReport& report : reports) {
    out << csv_values_line(columns, scalars(job, report));
  }
}

}  // namespace tutti::mpi
