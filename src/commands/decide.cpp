// tutti decide: the best algorithm for every number of ranks and size, and rules for MPI libraries.
#include "src/experiments/decisions/decide.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/stopwatch.hpp"
#include "schedules/options/tree.hpp"
#include "schedules/registry.hpp"
#include "simulation/machine.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/experiments/decisions/measured.hpp"
#include "src/experiments/sweep/run_cells.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/text_table.hpp"
#include "src/report/decision_text.hpp"
#include "src/requests/command_help.hpp"
#include "src/requests/file_roles.hpp"
#include "src/requests/offered_words.hpp"
#include "src/requests/problem_request.hpp"
#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti {

namespace {

struct DecideOptions {
  std::string collective;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  std::vector<std::string> by;  // "exact", or "measured" and a file
  OptionText tolerance;
  OptionText crossover;
  OptionText against;
  OptionText export_format;
  OptionText output;
  OptionText jobs;
  SweepOptions sweep;
  bool everything = false;
};

struct Export {
  bool asked = false;
  RuleFormat format = RuleFormat::tutti;
  bool csv = false;
};

// The forms that are libraries' own.
std::vector<RuleFormat> libraries() {
  std::vector<RuleFormat> forms(kRuleFormats.begin(), kRuleFormats.end());
  std::erase(forms, RuleFormat::tutti);
  return forms;
}

// "ompi4 (Open MPI 4.1 to 5.0.6), ompi6 or nccl".
std::string libraries_in_words() {
  std::vector<std::string> words;
  for (const RuleFormat format : libraries()) {
    const std::string_view serves = rule_form(format).serves;
    words.push_back(serves.empty() ? std::string(name(format))
                                   : fmt::format("{} ({})", name(format), serves));
  }
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::vector<std::string> export_names() {
  std::vector<std::string> names;
  for (const RuleFormat format : libraries()) {
    names.emplace_back(name(format));
  }
  names.insert(names.end(), {"json", "csv"});
  return names;
}

constexpr std::array kTimesBy{TimedBy::simulation, TimedBy::exact, TimedBy::longest_path,
                              TimedBy::measured};

std::vector<std::string> times_by_names() {
  std::vector<std::string> names;
  names.reserve(kTimesBy.size());
  for (const TimedBy by : kTimesBy) {
    names.emplace_back(name(by));
  }
  return names;
}

Export parse_export(const OptionText& text) {
  if (!text) {
    return {};
  }
  if (text == "csv" || text == "json") {
    return {true, RuleFormat::tutti, text == "csv"};
  }
  for (const RuleFormat format : libraries()) {
    if (text == name(format)) {
      return {true, format, false};
    }
  }
  throw UserError(fmt::format("--export '{}': {}", *text, accepted_words(*text, export_names())));
}

// "5%" or 0.05.
double parse_share(std::string_view what, const OptionText& text, double standard) {
  if (!text) {
    return standard;
  }
  const bool percent = text->ends_with('%');
  const double number =
      parse_number(what, percent ? std::string_view(*text).substr(0, text->size() - 1) : *text);
  const double share = percent ? number / 100 : number;
  if (share >= 1) {
    throw UserError(
        fmt::format("{} '{}': accepted is a share below 1, such as 0.05 or 5%", what, *text));
  }
  return share;
}

template <typename Number>
void sort_and_drop_repeated(std::vector<Number>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

struct Source {
  TimedBy by = TimedBy::simulation;
  std::string file;
};

Source parse_by(const std::vector<std::string>& given) {
  if (given.empty()) {
    return {};
  }
  const bool measured = given.front() == name(TimedBy::measured);
  if (given.size() == 2 && !measured) {
    throw UserError(fmt::format("--by '{} {}': only measured takes a file", given[0], given[1]));
  }
  if (given.size() == 1 && measured) {
    throw UserError("--by 'measured': accepted is measured FILE");
  }
  for (const TimedBy by : kTimesBy) {
    if (given.front() == name(by)) {
      return {by, measured ? given[1] : ""};
    }
  }
  throw UserError(
      fmt::format("--by '{}': accepted is simulation, exact, longest-path or measured FILE{}",
                  given.front(), did_you_mean(given.front(), times_by_names())));
}

// Ranks and sizes that cannot be read, or are missing, come first.
void read_grid(const DecideOptions& options, const ProblemRequest& request, Decision& decision) {
  decision.ranks = request.ranks;
  sort_and_drop_repeated(decision.ranks);
  if (decision.collective == Collective::barrier) {
    if (options.problem.bytes) {
      throw UserError(fmt::format("-n/--bytes '{}': a barrier moves no data; leave it out",
                                  *options.problem.bytes));
    }
    decision.sizes_bytes = {0};
    return;
  }
  if (request.bytes.empty()) {
    throw UserError("how many bytes? Give -n/--bytes, such as -n 8..16MiB*2");
  }
  decision.sizes_bytes = request.bytes;
  sort_and_drop_repeated(decision.sizes_bytes);
}

// Every size is whole elements; what has no machine is refused before any work.
void read_machines(const DecideOptions& options, const ProblemTemplate& asked, const Source& source,
                   Decision& decision) {
  MachineOptions machine = options.machine;
  if (source.by == TimedBy::longest_path) {
    machine.engine = "critical-path";
  }
  for (const std::uint32_t ranks : decision.ranks) {
    Problem problem;
    for (const std::uint64_t bytes : decision.sizes_bytes) {
      problem = plain_problem(decision.collective, asked, ranks, bytes);
    }
    decision.element_bytes = problem.element_bytes;
    if (source.by != TimedBy::measured) {
      decision.machines.push_back(machine.machine(problem, asked.ranks_per_host));
    }
  }
  if (source.by == TimedBy::exact && decision.machines.back().setup.disturbance.any()) {
    throw UserError(
        "--by 'exact': no closed form knows of late ranks or of jitter; leave out --late-ranks and "
        "--jitter, or take --by simulation");
  }
  if (source.by == TimedBy::measured && options.machine.what_if.any()) {
    throw UserError(
        "--by 'measured': times that were measured are of the machine as it is; leave out "
        "what-ifs, "
        "late ranks and jitter");
  }
  if (source.by != TimedBy::measured) {
    decision.facts = describe(decision.machines.back());
  }
}

// Null where nothing is run.
std::unique_ptr<Runner> runner_of(const DecideOptions& options, const Decision& decision,
                                  std::size_t jobs, std::ostream& err) {
  if (decision.by == TimedBy::simulation || decision.by == TimedBy::longest_path) {
    return runner_for(options.sweep, Waves::several, decision.machines.front(), jobs, err);
  }
  if (options.sweep.database) {
    throw UserError(
        fmt::format("--db '{}': with --by {} nothing is run whose result could be kept; leave it "
                    "out",
                    *options.sweep.database, name(decision.by)));
  }
  if (options.sweep.retry_failed) {
    throw UserError(kRetryWithoutDatabase);
  }
  return nullptr;
}

void write_export(const Decision& decision, const Export& how, std::ostream& out) {
  if (how.csv) {
    write_decision_csv(decision, out);
    return;
  }
  RulesToWrite rules;
  rules.collective = decision.collective;
  rules.steps = steps_of(decision.decisions, decision.candidates);
  rules.ranks = decision.ranks;
  rules.made_by = made_by(decision);
  write_rules(rules, how.format, out);
}

std::vector<const Algorithm*> algorithms_of(Collective collective) {
  std::vector<const Algorithm*> found(algorithms().begin(), algorithms().end());
  std::erase_if(found,
                [collective](const Algorithm* each) { return each->collective != collective; });
  return found;
}

int decide(const DecideOptions& options, Streams streams) {
  const Stopwatch watch;
  const std::size_t jobs = parse_jobs(options.jobs);
  const Source source = parse_by(options.by);
  const Export exported = parse_export(options.export_format);
  if (options.output && !exported.asked) {
    throw UserError(fmt::format("--output '{}': say with --export what to write", *options.output));
  }
  OptionText output;
  if (exported.asked) {
    output = options.output.value_or("-");
  }
  check_one_standard_output({&options.results.json, &options.results.csv, &output});

  Decision decision;
  decision.collective = parse_collective(options.collective);
  decision.by = source.by;
  decision.measured_file = source.file;
  decision.tolerance = parse_share("--tolerance", options.tolerance, 0.02);
  decision.crossover = parse_share("--crossover", options.crossover, 0.05);
  std::optional<RuleFormat> library;
  if (exported.asked && exported.format != RuleFormat::tutti) {
    library = exported.format;
  }
  options.problem.need_ranks("2..1024*2");
  const std::vector<const Algorithm*> of_collective = algorithms_of(decision.collective);
  ProblemRequest request = parse_request(
      options.problem, of_collective,
      {.lists = true, .best_segment = true, .all_values = options_worth_trying(library)});
  take_groups_from(options.machine, request.each);
  read_grid(options, request, decision);
  Candidates candidates = candidates_of(decision.collective, request.each, library);
  decision.candidates = std::move(candidates.all);
  decision.left_out = std::move(candidates.left_out);
  if (options.machine.has_reducing_switches()) {
    for (const Algorithm* algorithm : of_collective) {
      if (algorithm->in_network()) {
        decision.of_switches.emplace_back(algorithm->name);
      }
    }
  }
  std::vector<const Algorithm*> algorithms;
  algorithms.reserve(decision.candidates.size());
  for (const Candidate& candidate : decision.candidates) {
    algorithms.push_back(candidate.contender.algorithm);
  }
  options.problem.refuse_what_none_takes(algorithms);
  const std::optional<DecisionTable> table =
      options.against ? std::optional(read_table(*options.against, decision.collective))
                      : std::nullopt;
  read_machines(options, request.each, source, decision);
  // Before there is a database, which stays.
  const auto open = [&streams](const OptionText& path) {
    return path ? std::make_unique<OutputFile>(*path, streams.out) : nullptr;
  };
  const auto json_file = open(options.results.json);
  const auto csv_file = open(options.results.csv);
  const auto export_file = open(output);
  const auto runner = runner_of(options, decision, jobs, streams.err);

  make_grid(decision);
  if (source.by == TimedBy::measured) {
    fill_in_measured(source.file, decision);
    decision.crossover = 0;
    search_decisions(decision.decisions, {decision.tolerance, 0, decision.element_bytes},
                     [](const std::vector<TimedCell*>&) {});
  } else {
    decide_by_times(decision, runner.get(), jobs, options.everything);
  }
  if (table && options.against && something_runs(decision)) {
    decision.judgement = judge(decision, *options.against, *table, request.each, runner.get());
  }
  const bool lost = runner && runner->sum_up();
  check_something_runs(decision);
  decision.wall_s = watch.seconds();
  if (json_file) {
    write_decision_json(decision, json_file->stream());
    json_file->commit();
  }
  if (csv_file) {
    write_decision_csv(decision, csv_file->stream());
    csv_file->commit();
  }
  if (export_file) {
    write_export(decision, exported, export_file->stream());
    export_file->commit();
  }
  if (options.results.json != "-" && options.results.csv != "-" && output != "-") {
    print_decision(decision, options.everything, streams.out);
    if (output && !exported.csv) {
      streams.out << '\n';
      print_field(
          streams.out, 0, 0, "",
          fmt::format("rules written to {}; {}", *output, rule_form(exported.format).other_ranks));
    }
  }
  return lost ? kExitCheckFailed : kExitOk;
}

}  // namespace

Action add_decide(CLI::App& app, Streams streams) {
  CLI::App* command = app.add_subcommand(
      "decide", "The best algorithm for every number of ranks and size; rules for MPI libraries");
  auto options = std::make_shared<DecideOptions>();
  command->add_option("collective", options->collective, collective_help())
      ->type_name("COLLECTIVE")
      ->required();
  options->problem.add_to(*command);
  for (const char* name : {"--block-bytes", "--block-skew"}) {
    command->remove_option(command->get_option(name));
  }
  command->get_option("--ranks")->description("Numbers of ranks: 8, 4,8,16, 2..64, 2..1024*2");
  command->get_option("--bytes")->description("Sizes, in the same way: 64K, 8..16MiB*2");
  command->get_option("--segment")
      ->description(
          "Bytes of a segment, for algorithms that pipeline; auto [default]: the best by the "
          "model, for "
          "each cell");
  command->get_option("--skips")->description(
      "Skips of circulant algorithms: halving, doubling, linear, sqrt, a list such as 5,3,2,1, or "
      "all [default]");
  command->get_option("--tree")->description(
      fmt::format("Of pipelined algorithms: {}, or all [default]: the first {}; for --export each",
                  fmt::join(kTreeNames, ", "), kCommonTrees));
  options->machine.add_to(*command, true);
  options->machine.what_if.add_to(*command, false);
  constexpr const char* kDecision = "How to decide";
  offer_words(
      command
          ->add_option(
              "--by", options->by,
              "Where times come from: simulation [default], exact (closed forms), longest-path, "
              "or measured FILE, with what tutti-mpi run --json wrote, or a table of ranks, "
              "bytes, algorithm and seconds")
          ->type_name("WHAT [FILE]")
          ->expected(1, 2)
          ->group(kDecision),
      times_by_names());
  command
      ->add_option("--tolerance", options->tolerance,
                   "Keep a choice while it takes at most so much longer than the best [2%]")
      ->type_name("SHARE")
      ->group(kDecision);
  command
      ->add_option("--crossover", options->crossover,
                   "How well boundaries between sizes shall be known [5%]; 0: only the grid")
      ->type_name("SHARE")
      ->group(kDecision);
  command
      ->add_flag(
          "--all", options->everything,
          "Simulate also what cannot win: whose closed form, at the fastest route's prices, "
          "takes twice as long as the best; and show every range of sizes with its lead, and every "
          "cell of --against")
      ->group(kDecision);
  command
      ->add_option("--against", options->against,
                   "What this decision table, or rule file, loses against the best")
      ->type_name("FILE")
      ->group(kDecision);
  options->sweep.add_to(*command);
  options->results.add_to(*command);
  offer_words(
      command
          ->add_option("--export", options->export_format,
                       "Write rules for " + libraries_in_words() +
                           ", of the algorithms that it has; json: a table for --against and "
                           "choose; csv: all times. Numbers of ranks between those of -p take the "
                           "next lower one's rules")
          ->type_name("NAME")
          ->group("Output"),
      export_names());
  command->add_option("-o,--output", options->output, "Where --export writes to [-]")
      ->type_name(kWrittenFile)
      ->group("Output");
  command->add_option("--jobs", options->jobs, "Runs at a time [as many as there are processors]")
      ->type_name("COUNT");
  add_examples(*command,
               {"tutti decide allreduce -p 4..64*2 -n 8..1MiB*2",
                "tutti decide bcast -p 4..64*4 -n 64..4MiB*4 --export ompi4 -o rules.conf",
                "tutti decide allreduce -p 8,64 -n 8..1MiB*8 "
                "--against examples/decisions/open_mpi_4.1.json"});
  return [options, streams] { return decide(*options, streams); };
}

}  // namespace tutti
