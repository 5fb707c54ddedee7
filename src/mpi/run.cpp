#include "src/mpi/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <limits>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "src/formats/timeline_json.hpp"
#include "src/mpi/cell.hpp"
#include "src/mpi/job.hpp"
#include "src/mpi/run_report.hpp"
#include "src/mpi/subjects.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/exit_codes.hpp"

namespace tutti::mpi {

namespace {

CellOptions cell_options(const RunOptions& options, bool timeline) {
  CellOptions cell;
  check_known(options.check);
  cell.check = options.check;
  cell.against_library = options.against_library;
  cell.tags = options.tags;
  cell.measure.warmup = options.warmup.value_or(cell.measure.warmup);
  cell.measure.iterations = options.iterations.value_or(kAsManyAsFit);
  cell.measure.budget_s = options.budget_s.value_or(cell.measure.budget_s);
  // Small schedules are also recorded in the JSON, so that `tutti validate` can tell which
  // operations are simulated wrongly.
  constexpr OpId kMostInResults = 1024;
  cell.most_recorded_ops = timeline               ? std::numeric_limits<OpId>::max()
                           : options.results.json ? kMostInResults
                                                  : 0;
  return cell;
}

// Adds to `report` the runs of `again`, which is another pass over the same algorithm and size.
void join(RunReport& report, RunReport&& again) {
  report.ours.append(again.ours);
  report.library.append(again.library);
  report.runs_compared += again.runs_compared;
  report.wrong.insert(report.wrong.end(), std::make_move_iterator(again.wrong.begin()),
                      std::make_move_iterator(again.wrong.end()));
}

// Runs the subjects size by size. At each size, makes `passes` passes, each of which runs every
// algorithm once.
std::vector<RunReport> run_cells(const std::vector<Subject>& subjects, const Element& element,
                                 CellOptions options, std::uint32_t passes, const World& world) {
  std::vector<RunReport> reports(subjects.size());
  const OpId recorded = options.most_recorded_ops;
  for (std::size_t begin = 0, end = 0; begin < subjects.size(); begin = end) {
    while (end < subjects.size() && subjects[end].problem.bytes == subjects[begin].problem.bytes) {
      ++end;
    }
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      options.most_recorded_ops = pass == 0 ? recorded : 0;
      for (std::size_t i = begin; i < end; ++i) {
        RunReport report = run_cell(subjects[i], element, options, world);
        if (pass == 0) {
          reports[i] = std::move(report);
        } else {
          join(reports[i], std::move(report));
        }
      }
    }
  }
  for (RunReport& report : reports) {
    report.counted_ours = counted_runs(report.ours);
    report.counted_library = counted_runs(report.library);
  }
  return reports;
}

void write_outputs(const RunOptions& options, const JobFacts& job,
                   const std::vector<RunReport>& reports, const Subject& first,
                   const JobFiles& files) {
  const RunReport& report = reports.front();
  if (std::ostream* timeline = files.at(0)) {
    const std::string title =
        fmt::format("{} on {}, {}, real MPI", first.algorithm->full_name(),
                    counted(job.ranks, "rank"), human_bytes(report.problem.bytes));
    write_timeline_json(*first.schedule(), report.timeline.value_or(Timeline{}), title, *timeline);
  }
  const bool several = reports.size() > 1;
  if (std::ostream* json = files.at(1)) {
    write_reports_json(job, reports, several, *json);
  }
  if (std::ostream* csv = files.at(2)) {
    write_reports_csv(job, reports, *csv);
  }
  files.commit();
  if (options.results.json == "-" || options.results.csv == "-" || options.timeline == "-") {
    return;
  }
  if (several) {
    print_table(job, reports, std::cout);
    return;
  }
  print_report(job, report, std::cout);
  if (options.timeline) {
    std::cout << fmt::format(
        "  timeline  {}; one clock for all ranks, accurate to {}{}\n", *options.timeline,
        human_time(report.clock_error_s),
        job.nodes == 1 ? " (the node's own)" : " (half the fastest ping-pong between nodes)");
  }
}

}  // namespace

void RunOptions::add_to(Command& command) {
  command
      .add_option(
          "algorithm", algorithms,
          "What to run: an algorithm, such as allreduce/ring; several algorithms, separated "
          "by commas; a collective, for all of its algorithms; or a file with a schedule or "
          "program. If -n is a list, each of them runs at every size")
      .type_name("ALG")
      .required();
  problem.add_to(command, Values::list);
  // --type determines the element size, and mpirun the placement of ranks.
  command.remove_option("--elem-bytes");
  command.remove_option("--ranks-per-host");
  command.option("--ranks").description("Number of ranks that mpirun started; may be left out");
  command.option("--bytes").description(
      "Size of the largest buffer that any rank holds: 1000 (bytes), 64K (= 64KiB) or 1MiB; or "
      "several: 64K,1MiB or 8..16MiB*2 (8, 16, 32, ..., 16MiB)");
  command.option("--segment")
      .description("Segment size in bytes, for pipelined algorithms [not segmented]");
  command.option("--cores-per-node")
      .description(
          "Number of consecutive ranks on each node, for algorithms that distinguish nodes [1]");
  const OptionGroup data(command, "Data");
  data.add("--type", type, "NAME", "Type of an element: int32, int64 [default], float or double");
  data.add("--op", op, "NAME",
           "Reduction operator: sum [default], prod, max, min, band, bor, bxor, or matrix (the "
           "product of 2x2 integer matrices, which does not commute)");
  const OptionGroup how(command, "How to run");
  how.add("--iterations", iterations, "COUNT",
          "Number of measured runs [as many as fit into --budget, 10 to 1000]", AsPositiveCount());
  how.add("--warmup", warmup, "COUNT", "Number of runs before the measured ones [2]", AsCount());
  how.add("--budget", budget_s, "TIME",
          "Time for the measured runs of one algorithm and size [0.3s]", AsTime());
  how.add("--passes", passes, "COUNT",
          "Number of passes over the algorithms at each size; with several passes, a "
          "temporary disturbance affects all algorithms alike; --budget and --iterations apply to "
          "each pass [1]",
          AsPositiveCount());
  how.add("--timeout", timeout_s, "TIME",
          "End the job if it makes no progress for this long, and report what was not done [60s]",
          parse_timeout);
  how.add("--check", check, "NAME",
          "Compare every byte, after every run, with the MPI library's own collective "
          "(library), with a serial replay (replay), with both (full) [default], or not at "
          "all (none)");
  how.flag("--against-library", against_library,
           "Also time the library's own collective, alternating with tutti's algorithms");
  how.add("--tags", tags, "COUNT", "Use at most COUNT message tags [as many as MPI allows]",
          AsPositiveCount());
  OptionGroup(command, "Output")
      .add("--timeline", timeline, kWrittenFile,
           "Record a separate run, with one clock for all ranks, and write it as trace events "
           "for https://ui.perfetto.dev");
  results.add_to(command);
}

double parse_timeout(std::string_view from, const std::string& text) {
  const double seconds = parse_time_s(from, text);
  if (seconds <= 0) {
    throw UserError(fmt::format("{} '{}': must be more than 0 s", from, text));
  }
  return seconds;
}

int run(const RunOptions& options, const World& world) {
  const Element element = element_named(options.type, options.op);
  const CellOptions cell = cell_options(options, options.timeline.has_value());
  JobFacts job = job_facts(world, element);
  job.warmup = cell.measure.warmup;
  const std::vector<Subject> subjects =
      subjects_of(options.algorithms, options.problem, element, world);
  const bool several = subjects.size() > 1;
  if (several && options.timeline) {
    throw UserError(
        fmt::format("$timeline '{}': records a single run; name one algorithm and one size",
                    *options.timeline));
  }
  const JobFiles files(world, {&options.timeline, &options.results.json, &options.results.csv});

  std::vector<RunReport> reports = run_cells(subjects, element, cell, options.passes, world);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const Subject& subject = subjects[i];
    const RunReport& report = reports[i];
    if (!several && report.refusal && report.refusal->kind == RefusalKind::proof) {
      if (world.first()) {
        std::cerr << fmt::format("tutti-mpi: {}: {}\n", printable(options.algorithms),
                                 printable(with_fields(report.refusal->text)));
      }
      return kExitCheckFailed;
    }
    if (!several && report.refusal) {
      throw UserError(fmt::format("{}: {}", subject.algorithm->full_name(), report.refusal->text));
    }
    for (const std::string& line : report.wrong) {
      std::cerr << fmt::format("tutti-mpi: {}, {} bytes: wrong byte: {}\n",
                               subject.algorithm->full_name(), subject.problem.bytes,
                               printable(line));
    }
  }
  // The exit code of all ranks depends on whether a result is wrong, which only rank 0 knows.
  const bool any_wrong = std::any_of(reports.begin(), reports.end(),
                                     [](const RunReport& report) { return !report.wrong.empty(); });
  const bool wrong = !world.broadcast(any_wrong ? "wrong" : "").empty();
  if (world.first()) {
    write_outputs(options, job, reports, subjects.front(), files);
  }
  return wrong ? kExitCheckFailed : kExitOk;
}

}  // namespace tutti::mpi
