// tutti compare: compares the times of all algorithms of a collective, for each of the given
// numbers of ranks and sizes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/messages.hpp"
#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/compare/comparison.hpp"
#include "src/experiments/decisions/assumptions.hpp"
#include "src/experiments/runner/proof_cells.hpp"
#include "src/experiments/sweep/run_cells.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/progress.hpp"
#include "src/output/comparison_json.hpp"
#include "src/output/comparison_text.hpp"
#include "src/output/result_json.hpp"
#include "src/output/result_words.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/contender_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/search/best_skips.hpp"

namespace tutti { inline namespace commands {

namespace {

struct CompareOptions {
  std::string what;  // name of a collective or algorithm, or path of a program file
  ContenderOptions contenders;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  std::size_t jobs = processors();
  SweepOptions sweep;
  SureLevel sure;
  bool misprints = false;
  bool all = false;
};

// Finds out, for each run on which the engines flow and SimGrid disagree by more than rounding,
// whether ties or rounding errors explain it.
void explain_disagreements(Comparison& comparison) {
  constexpr double kRounding = 1e-9;
  for (CaseRun& run : comparison.runs) {
    RunResult* const result = run.outcome.result();
    if (result != nullptr && result->comparison && result->comparison->worst > kRounding) {
      explain_difference(*result->comparison, result->simulated_s,
                         make_schedule(*run.algorithm, run.problem), *run.machine);
    }
  }
}

// Reports each run on which the engines flow and SimGrid disagree as an error. Returns true if
// there is such a run. Only with --engine both do both engines simulate each run; otherwise nothing
// is reported.
bool report_disagreements(const Comparison& comparison, Messages& messages) {
  bool any = false;
  for (const CaseRun& run : comparison.runs) {
    const RunResult* const result = run.outcome.result();
    if (result != nullptr && result->comparison && !result->comparison->agrees()) {
      any = true;
      messages.error(disagreement_in_words(*result));
    }
  }
  return any;
}

// Finds the skips of the contenders for --skips search.
void find_skips(Comparison& comparison, std::size_t jobs) {
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    CaseRun& run = comparison.runs[i];
    if (comparison.contender_of(i).finds_skips && run.outcome.open()) {
      run.problem.skips = best_skips({run.algorithm, run.problem, run.machine}, jobs);
    }
  }
}

// The algorithms to compare: all algorithms of `collective`, or only those in `only`.
struct Subject {
  Collective collective = Collective::allreduce;
  std::vector<const Algorithm*> only;  // empty: all algorithms
};

Subject parse_subject(const CompareOptions& options) {
  Subject subject;
  if (options.what.find('/') != std::string::npos && !collective_meant(options.what)) {
    const Algorithm& algorithm = algorithm_named(options.what);
    if (options.contenders.algorithms) {
      throw UserError(
          fmt::format("$algorithms '{}': '{}' is already a single algorithm; to compare several, "
                      "write the collective {} in its place",
                      *options.contenders.algorithms, options.what, name(algorithm.collective)));
    }
    return {algorithm.collective, {&algorithm}};
  }
  subject.collective = parse_collective(options.what, {.algorithms = true, .files = true});
  subject.only = options.contenders.only(subject.collective);
  return subject;
}

// Proves that each program of the user is correct, for every problem that the comparison will run
// with this program. If a program refuses a problem, sets the outcome of the run to a refusal.
// Returns false if a program is wrong.
bool prove_programs(Comparison& comparison, Messages& messages) {
  std::vector<std::size_t> places;
  std::vector<ProofCell> cells;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const CaseRun& run = comparison.runs[i];
    if (run.algorithm->program != nullptr && run.outcome.open()) {
      places.push_back(i);
      cells.push_back({run.algorithm, run.problem});
    }
  }
  return prove_programs(cells, messages, [&](std::size_t cell, const std::string& why) {
    comparison.runs[places[cell]].outcome = Refusal{RefusalKind::problem, why};
  });
}

// Throws UserError if the comparison cannot say which choices are sure. `level`: text of --sure.
void check_sure(const Comparison& comparison, const std::string& level) {
  if (comparison.contenders.size() == 1) {
    throw UserError(
        fmt::format("$sure '{}': there is only one algorithm, so nothing to choose; "
                    "'tutti simulate --sure' gives the range of its time",
                    level));
  }
  check_sure(comparison.machines.front());
}

ComparisonRequest request_of(const CompareOptions& options, const ProblemOptions& problem,
                             const Subject& subject, const std::vector<const Algorithm*>& programs,
                             Messages& messages) {
  ComparisonRequest request;
  request.collective = subject.collective;
  request.machine = options.machine.open(messages);
  request.algorithms =
      algorithms_to_compare(subject.collective, request.machine, programs, subject.only);
  problem.refuse_what_none_takes(request.algorithms);
  problem.need_ranks("4,8,16");
  request.problems =
      parse_request(problem, request.algorithms,
                    {.best_segment = true, .search_skips = true, .all_values = bit(Option::skips)});
  return request;
}

int compare(const CompareOptions& options, Streams streams) {
  const std::size_t jobs = options.jobs;
  check_one_standard_output({&options.results.json, &options.results.csv});
  // True if `options.what` is the path of a program file. The program is then compared with the
  // algorithms of its collective.
  const bool is_program = !collective_meant(options.what) && means_file(options.what);
  Subject subject = is_program ? Subject{} : parse_subject(options);
  ContenderOptions contenders = options.contenders;
  if (is_program) {
    contenders.with.insert(contenders.with.begin(), options.what);
  }
  const Programs programs =
      contenders.programs(is_program ? std::nullopt : std::optional(subject.collective),
                          options.problem, streams.sources);
  if (is_program) {
    subject.collective = programs.front()->program.collective();
    subject.only = contenders.only(subject.collective);
  }
  ProblemOptions problem = options.problem;
  take_problems(programs, problem, streams.messages);
  const ComparisonRequest request =
      request_of(options, problem, subject, algorithms_of(programs), streams.messages);
  Comparison comparison = prepare_comparison(request);
  check_sure_shows(options.sure, options.results);
  if (options.sure) {
    check_sure(comparison, options.sure->text);
  }
  if (!options.contenders.no_verify && !prove_programs(comparison, streams.messages)) {
    return kExitCheckFailed;
  }
  find_skips(comparison, jobs);
  // Opens the output files before runner_for() creates the database. Otherwise, the database would
  // remain if an output file could not be opened.
  OptionalOutput json_file("$json", options.results.json, kJsonFile, streams.out);
  OptionalOutput csv_file("$csv", options.results.csv, kCsvFile, streams.out);
  const auto runner =
      runner_for(options.sweep, Waves::one, comparison.machines.front(), jobs, streams.messages);
  run(comparison, *runner);
  const bool lost = runner->sum_up();
  if (!options.misprints) {
    for (CaseRun& run : comparison.runs) {
      if (RunResult* const result = run.outcome.result()) {
        result->drop_misprints();
      }
    }
  }
  explain_disagreements(comparison);
  WinnerMap winners(comparison);
  std::optional<SureChoices> sure;
  if (options.sure) {
    sure = sure_choices(comparison, winners, options.sure->value, jobs, streams.messages);
  }
  const ComparisonAnswer answer{comparison, winners, sure};
  write_together(
      {{json_file, [&](std::ostream& out) { write_document(kComparisonDocument, answer, 2, out); }},
       {csv_file, [&](std::ostream& out) { write_results_csv(comparison.runs, out); }}});
  if (options.results.json != "-" && options.results.csv != "-") {
    Assumptions assumptions;
    if (comparison.contenders.size() > 1) {
      winners.explain();
      assumptions = assumptions_of(comparison, winners, request, jobs, streams.messages);
    }
    print_comparison(comparison, winners, options.all ? Details::all : Details::few, sure,
                     assumptions, streams.out);
  }
  return report_disagreements(comparison, streams.messages) || lost ? kExitCheckFailed : kExitOk;
}

}  // namespace

Action add_compare(Command& app, Streams streams) {
  Command& command =
      app.add_command("compare", "Compare all algorithms of a collective over ranks and sizes");
  auto options = std::make_shared<CompareOptions>();
  command
      .add_option(
          "collective", options->what,
          fmt::format("{}; or one algorithm, such as allreduce/ring, for its times over "
                      "sizes; or a file as for --with, which is compared with all algorithms "
                      "of its collective",
                      collective_help()))
      .type_name("COLLECTIVE")
      .required();
  options->contenders.add_to(command);
  options->problem.add_to(command, Values::list);
  command.remove_option("--collective");  // the command's own argument
  command.option("--ranks").description(kRanksHelp);
  command.option("--bytes").description(kSizesHelp);
  take_several_skips(
      command,
      "Skips of circulant algorithms: halving [default], doubling, linear, sqrt, a "
      "list such as 5,3,2,1, all (the four named ones), or search (the best list that "
      "'tutti search' finds for each number of ranks and size)");
  options->machine.add_to(command, true);
  options->machine.what_if.add_to(command, false);
  options->results.add_to(command);
  const OptionGroup output(command, "Output");
  output
      .flag("--all", options->all,
            "Show, for each number of ranks and size, the times of all algorithms by simulation "
            "and by formulas, and why the two differ")
      .usual();
  output.flag("--misprints", options->misprints, kMisprintsHelp);
  add_sure(output, options->sure, kSureHelp);
  add_sweep_options(command, options->sweep, streams);
  add_jobs(command, options->jobs);
  command.add_examples(
      {"tutti compare allreduce -p 4,16,64 -n 1K..16MiB*4 --db results.db",
       "tutti compare allreduce/ring -p 64 -n 8..16MiB*8",
       "tutti compare bcast --algorithms binomial,pipeline -p 64 -n 64K,1MiB --all "
       "--platform platforms/torus_64.xml"});
  return [options, streams] { return compare(*options, streams); };
}

}}  // namespace tutti::commands
