// tutti simulate: one run on one platform, beside what formulas predict.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "simulation/best_segment.hpp"
#include "simulation/engines/engine_type.hpp"
#include "simulation/machine.hpp"
#include "simulation/run_result.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/timeline_json.hpp"
#include "src/report/result_json.hpp"
#include "src/report/result_text.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/file_roles.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/requests/segment_auto.hpp"

namespace tutti {

namespace {

struct SimulateOptions {
  std::string algorithm;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  OptionText timeline;
  OptionText links;
  OptionText ties;
  bool no_verify = false;
  bool misprints = false;
};

// What to run: the schedule of an algorithm or a program, made when it is run, or one that was read
// from a file.
struct Subject {
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<ProgramFile> program;
  const Algorithm* algorithm = nullptr;
  Problem problem;
};

Subject subject_of(const SimulateOptions& options) {
  Subject subject;
  if (means_file(options.algorithm)) {
    auto read = read_notation_file(options.algorithm, options.problem);
    subject.file = std::move(read.schedule);
    subject.program = std::move(read.program);
  }
  if (subject.file) {
    subject.algorithm = &subject.file->algorithm;
    subject.problem = problem_of(*subject.file, options.problem);
  } else {
    subject.algorithm =
        subject.program ? &subject.program->algorithm : &algorithm_named(options.algorithm);
    if (options.no_verify && !subject.program) {
      throw UserError(
          fmt::format("--no-verify: '{}' is no file, and only those are proved first; leave it out",
                      options.algorithm));
    }
    subject.problem = parse_problem(options.problem, *subject.algorithm, true);
  }
  return subject;
}

// Proves what a user has written.
bool proved(const Subject& subject, const SimulateOptions& options, std::ostream& err) {
  if (options.no_verify || (!subject.file && !subject.program)) {
    return true;
  }
  const std::string& path = options.algorithm;
  const Verdict verdict = subject.file
                              ? prove(subject.file->schedule, path)
                              : prove(make_schedule(*subject.algorithm, subject.problem), path);
  return proved_or_explained(verdict, path, err);
}

// Writes the links that carried anything, in the order in which routes first used them.
void write_links_csv(const RunResult& result, std::ostream& out) {
  out << "link,place,class,bytes,busy_s,busy_share,most_at_once\n";
  for (const NamedLinkStatistics& link : result.links) {
    const double share = result.simulated_s == 0 ? 0 : link.statistics.busy_s / result.simulated_s;
    out << fmt::format("{},{},{},{},{:.9g},{:.6f},{}\n", csv_field(link.name),
                       csv_field(link.place.name), csv_field(link.place.group),
                       link.statistics.bytes, link.statistics.busy_s, share,
                       link.statistics.most_at_once);
  }
}

constexpr std::uint32_t kMostTieRuns = 100'000;
// Looked for unasked, where some operation waits for a port or a core: so many runs, of so many
// operations at most. In fifty tries over five schedules whose totals hang on ties, three runs
// always showed it; and of so many operations they take a second at most.
constexpr std::uint32_t kTieRunsUnasked = 3;
constexpr std::uint32_t kTieOpsUnasked = 20'000;

TieProbe tie_probe(const SimulateOptions& options, const Machine& machine) {
  TieProbe probe;
  const bool can = machine.engine->moves_starts;
  probe.seed = options.machine.what_if.seed_or(probe.seed);
  if (!options.ties) {
    probe.runs = can ? kTieRunsUnasked : 0;
    probe.most_ops = kTieOpsUnasked;
    return probe;
  }
  probe.runs = parse_count("--ties", *options.ties, kMostTieRuns);
  if (!can && probe.runs > 0) {
    throw UserError(
        fmt::format("--ties '{}': the engine {} cannot move the start of an operation by so "
                    "little; take --engine flow, or critical-path",
                    *options.ties, machine.engine->name));
  }
  return probe;
}

// Opened before the run, so that a path that cannot be written costs nobody a long wait.
std::unique_ptr<OutputFile> open(const OptionText& path, Streams streams) {
  return path ? std::make_unique<OutputFile>(*path, streams.out) : nullptr;
}

int simulate(const SimulateOptions& options, Streams streams) {
  Subject subject = subject_of(options);
  const Algorithm& algorithm = *subject.algorithm;
  Problem& problem = subject.problem;
  Machine machine = options.machine.machine(problem, options.problem.ranks_per_host_count());
  std::optional<BestSegment> best;
  if (!subject.file) {
    best = take_best_segment(options.problem, algorithm, machine, problem);
    check(algorithm, problem);
  }
  machine.setup.ties = tie_probe(options, machine);
  machine.link_statistics = options.links.has_value();
  if (machine.link_statistics && !machine.engine->counts_links) {
    throw UserError(
        fmt::format("--links '{}': the engine {} keeps no account of links; take "
                    "--engine flow",
                    *options.links, machine.engine->name));
  }
  check_one_standard_output(
      {&options.timeline, &options.links, &options.results.json, &options.results.csv});
  const auto timeline_file = open(options.timeline, streams);
  const auto links_file = open(options.links, streams);
  const auto json_file = open(options.results.json, streams);
  const auto csv_file = open(options.results.csv, streams);

  if (!proved(subject, options, streams.err)) {
    return kExitCheckFailed;
  }
  Simulation run =
      subject.file ? simulate_file(subject.file->path, algorithm, std::move(subject.file->schedule),
                                   machine, subject.file->read_wall_s)
                   : simulate(algorithm, problem, machine,
                              timeline_file ? Detail::payload : Detail::times_only);
  run.result.best_segment = best;
  if (!options.misprints) {
    run.result.drop_misprints();
  }
  if (timeline_file) {
    const std::string title = run_in_words(algorithm.full_name(), algorithm, problem);
    write_timeline_json(*run.schedule, run.timeline, title, timeline_file->stream());
  }
  if (links_file) {
    write_links_csv(run.result, links_file->stream());
  }
  if (json_file) {
    write_result_json(run.result, json_file->stream());
  }
  if (csv_file) {
    write_result_csv(run.result, csv_file->stream());
  }
  for (OutputFile* file :
       {timeline_file.get(), links_file.get(), json_file.get(), csv_file.get()}) {
    if (file != nullptr) {
      file->commit();
    }
  }
  const bool data_on_standard_output = options.timeline == "-" || options.links == "-" ||
                                       options.results.json == "-" || options.results.csv == "-";
  if (!data_on_standard_output) {
    print_result(run.result, streams.out);
    if (options.timeline) {
      streams.out << fmt::format("\nTimeline written to {}; open it in https://ui.perfetto.dev\n",
                                 printable(*options.timeline));
    }
  }
  if (run.result.ties.runs > 0 && tie_spread(run.result) > kTiesMatter) {
    streams.err << fmt::format("tutti: the total hangs on ties: {}{}\n", ties_in_words(run.result),
                               options.ties ? "" : "; --ties 100 shows more of the range");
  }
  if (run.result.comparison && !run.result.comparison->agrees()) {
    streams.err << "tutti: " << one_line(disagreement_in_words(run.result)) << '\n';
    return kExitCheckFailed;
  }
  return kExitOk;
}

}  // namespace

Action add_simulate(CLI::App& app, Streams streams) {
  CLI::App* command =
      app.add_subcommand("simulate", "One run on one platform, beside what formulas predict");
  auto options = std::make_shared<SimulateOptions>();
  command->add_option("algorithm", options->algorithm, kAlgorithmHelp)
      ->type_name("ALG")
      ->required();
  options->problem.add_to(*command);
  command->add_flag("--no-verify", options->no_verify, kNoVerifyHelp)->group("What to run");
  options->machine.add_to(*command, true);
  options->results.add_to(*command);
  command->add_flag("--misprints", options->misprints, kMisprintsHelp)->group("Output");
  command
      ->add_option("--timeline", options->timeline,
                   "Write what happened when as trace events, for https://ui.perfetto.dev")
      ->type_name(kWrittenFile)
      ->group("Output");
  command
      ->add_option("--links", options->links,
                   "Write what each link carried, as comma-separated values (engine flow)")
      ->type_name(kWrittenFile)
      ->group("Output");
  command
      ->add_option("--ties", options->ties,
                   "Run so many times more with the start of each operation moved by parts in "
                   "1e-12 of the total, so that other operations are first where several are ready "
                   "at once, and report the range of totals; a spread of more than 0.1 % is warned "
                   "of [3, where operations wait for ports or cores and are 20000 at most; 0: "
                   "never]")
      ->type_name("COUNT")
      ->group("On what");
  options->machine.what_if.add_to(*command, true);
  return [options, streams] { return simulate(*options, streams); };
}

}  // namespace tutti
