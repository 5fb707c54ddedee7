// tutti simulate: simulates one run on one platform, and compares its time with the predictions of
// formulas.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/stopwatch.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/run_watch.hpp"
#include "src/formats/timeline_json.hpp"
#include "src/output/explanation_json.hpp"
#include "src/output/explanation_text.hpp"
#include "src/output/recording_json.hpp"
#include "src/output/result_json.hpp"
#include "src/output/result_text.hpp"
#include "src/output/result_words.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/simulation_input.hpp"
#include "src/simulation/best_segment.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/explain/explanation.hpp"
#include "src/simulation/explain/one_rank.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/machine_bound.hpp"
#include "src/simulation/model_uncertainty.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr std::uint32_t kMostTieRuns = 100'000;

struct SimulateOptions {
  std::string algorithm;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  std::optional<std::string> timeline;  // paths of files
  std::optional<std::string> links;
  std::optional<std::string> record;
  std::optional<ValueWithText<std::uint32_t>> ties;
  SureLevel sure;
  bool no_verify = false;
  bool misprints = false;
  bool explain = false;

  // True if the run is watched, because an output needs its explanation.
  [[nodiscard]] bool explains() const { return links || explain || record; }
};

TieProbe tie_probe(const SimulateOptions& options, const Machine& machine) {
  TieProbe probe = default_tie_probe(machine);
  const bool can = machine.engine->moves_starts;
  probe.seed = options.machine.what_if.seed_or(probe.seed);
  if (!options.ties) {
    return probe;
  }
  probe.most_ops = 0;
  probe.runs = options.ties->value;
  if (!can && probe.runs > 0) {
    throw UserError(
        fmt::format("$ties '{}': the engine {} cannot delay operations by the tiny times that "
                    "$ties needs; use $engine=flow or critical-path",
                    options.ties->text, machine.engine->name));
  }
  return probe;
}

// With a radix above 2, a rank has messages for several others at a time, and the number of ports
// decides how long they take. Returns the time with unlimited ports if the user chose the radix,
// but not the ports; nothing if the run is so long that another one would not be cheap.
std::optional<double> time_with_unlimited_ports(const SimulateOptions& options,
                                                const Algorithm& algorithm, const Problem& problem,
                                                Machine machine, const RunResult& result) {
  constexpr std::uint64_t kMostOps = 100'000;
  if (problem.radix <= 2 || options.machine.ports || machine.setup.ports == kUnlimitedPorts ||
      machine.files.messages != nullptr || machine.both_engines() ||
      machine.engine->needs_simgrid(machine) || result.ops > kMostOps) {
    return std::nullopt;
  }
  machine.setup.ports = machine.spec.ports.emplace(kUnlimitedPorts);
  machine.setup.ties.runs = 0;
  return simulate(algorithm, problem, machine, Detail::times_only).result.simulated_s;
}

// Throws UserError for options that the machine or the input cannot serve.
void check_options(const SimulateOptions& options, const SimulationInput& subject) {
  const Machine& machine = subject.machine;
  if (options.sure && subject.file) {
    throw UserError(
        fmt::format("$sure '{}': needs an algorithm of tutti, not a file", options.sure->text));
  }
  if (options.sure) {
    (void)uncertainty_of(machine);
  }
  if (options.links && !machine.engine->counts_links) {
    throw UserError(
        fmt::format("$links '{}': the engine {} has no link statistics; use $engine=flow",
                    *options.links, machine.engine->name));
  }
  const auto why = unexplained(machine);
  if (options.explain && why) {
    throw UserError("$explain: " + *why);
  }
  if (options.record && why) {
    throw UserError(fmt::format("$record '{}': {}", *options.record, *why));
  }
  if (options.record && machine.both_engines()) {
    throw UserError(
        fmt::format("$record '{}': only one run can be recorded, but $engine=both makes two; use "
                    "$engine=flow",
                    *options.record));
  }
}

struct SimulateOutputs {
  OptionalOutput timeline;
  OptionalOutput links;
  OptionalOutput record;
  OptionalOutput json;
  OptionalOutput csv;

  SimulateOutputs(const SimulateOptions& options, std::ostream& out)
      : timeline("$timeline", options.timeline, kJsonFile, out),
        links("$links", options.links, kCsvFile, out),
        record("$record", options.record, kJsonFile, out),
        json("$json", options.results.json, kJsonFile, out),
        csv("$csv", options.results.csv, kCsvFile, out) {}

  [[nodiscard]] bool any() const { return timeline || links || record || json || csv; }
};

// A run, or more: a run with its explanation, or a recording, which has both.
using AnyRun = std::variant<Simulation, Explanation, Recording>;

// Returns null for a run without an explanation.
const Explanation* explanation_in(const AnyRun& simulated) {
  const Recording* const recording = std::get_if<Recording>(&simulated);
  return recording != nullptr ? &recording->explanation : std::get_if<Explanation>(&simulated);
}

const Simulation& run_in(const AnyRun& simulated) {
  const Explanation* const explanation = explanation_in(simulated);
  return explanation != nullptr ? explanation->run : std::get<Simulation>(simulated);
}

// Adds to the result what only this command shows. `alike` is the machine on which one rank may
// represent others.
void complete(const SimulateOptions& options, const SimulationInput& subject, const Machine& alike,
              RunResult& result) {
  const Stopwatch watch;
  if (!options.misprints) {
    result.drop_misprints();
  }
  const Machine& machine = subject.machine;
  Limits(machine).put_in(result);
  if (!subject.file) {
    result.unlimited_ports_s =
        time_with_unlimited_ports(options, *subject.algorithm, subject.problem, alike, result);
  }
  if (options.sure) {
    const double level = options.sure->value;
    const ModelUncertainty& uncertainty = uncertainty_of(machine);
    const UncertainTime time = uncertain_time(moved_models(*machine.files.messages, uncertainty),
                                              {subject.algorithm, subject.problem, &machine});
    result.range = {level, time_range(time, uncertainty.spread(), level)};
  }
  result.other_wall_s += watch.seconds();
}

// Simulates, with the explanation or the recording that the options ask for.
AnyRun simulated(const SimulateOptions& options, const SimulateOutputs& outputs,
                 const Machine& alike, SimulationInput& subject, Messages& messages) {
  const RunWatch watch("simulating", messages);
  const Machine unwatched = subject.machine;
  if (options.explains()) {
    watch_run(subject.machine, options.record ? Watch::routes : Watch::chain);
  }
  if (options.explain && !outputs.any() && !subject.file) {
    if (auto explanation = explain_one_rank(*subject.algorithm, subject.problem, alike, false)) {
      explanation->run.result.best_segment = subject.best;
      complete(options, subject, alike, explanation->run.result);
      return *std::move(explanation);
    }
  }
  Simulation run =
      simulate(subject, outputs.timeline || outputs.record ? Detail::payload : Detail::times_only);
  if (RunResult& result = run.result; result.comparison) {
    explain_difference(*result.comparison, result.simulated_s, *run.schedule, unwatched);
  }
  complete(options, subject, alike, run.result);
  if (options.record) {
    return record_with_improvements(std::move(run), unwatched);
  }
  if (!options.explains()) {
    return run;
  }
  Explanation explanation = explain(std::move(run));
  if (options.explain) {
    explanation.limit = limit_gap(explanation.run, explanation.account, false);
  }
  return explanation;
}

void write_outputs(const SimulateOptions& options, SimulateOutputs& outputs,
                   const SimulationInput& subject, const AnyRun& done) {
  const Simulation& run = run_in(done);
  const Explanation* const explanation = explanation_in(done);
  const auto write_timeline = [&](std::ostream& out) {
    write_timeline_json(
        *run.schedule, run.timeline,
        run_in_words(subject.algorithm->full_name(), *subject.algorithm, subject.problem), out,
        explanation != nullptr ? timeline_extras(*explanation) : TimelineExtras());
  };
  const auto write_json = [&](std::ostream& out) {
    options.explain ? write_explained_result_json(*explanation, out)
                    : write_result_json(run.result, out);
  };
  write_together(
      {{outputs.timeline, write_timeline},
       {outputs.links, [&](std::ostream& out) { write_links_csv(*explanation, out); }},
       {outputs.record,
        [&](std::ostream& out) { write_recording_json(std::get<Recording>(done), out); }},
       {outputs.json, write_json},
       {outputs.csv, [&](std::ostream& out) { write_result_csv(run.result, out); }}});
}

void print(const SimulateOptions& options, const AnyRun& done, std::ostream& out) {
  print_result(run_in(done).result, out);
  if (options.explain) {
    out << '\n';
    print_explanation(*explanation_in(done), out);
  }
  if (options.timeline) {
    out << fmt::format("\nTimeline written to {}; open it in https://ui.perfetto.dev\n",
                       printable(*options.timeline));
  }
}

int simulate(const SimulateOptions& options, Streams streams) {
  std::optional<InterruptMessage> when_interrupted(
      std::in_place, [] { return std::string("; nothing was written"); });
  SimulationInput subject =
      simulation_input(options.algorithm, options.problem, options.machine.open(streams.messages),
                       options.no_verify);
  subject.machine.setup.ties = tie_probe(options, subject.machine);
  check_options(options, subject);
  const Machine alike = subject.machine;
  if (options.explains()) {
    show_single_ranks(subject.machine, options.links     ? "$links"
                                       : options.explain ? "$explain"
                                                         : "$record");
  }
  check_one_standard_output({&options.timeline, &options.links, &options.record,
                             &options.results.json, &options.results.csv});
  SimulateOutputs outputs(options, streams.out);
  if (!proved(subject, streams.messages)) {
    return kExitCheckFailed;
  }
  const AnyRun done = simulated(options, outputs, alike, subject, streams.messages);
  when_interrupted.reset();
  write_outputs(options, outputs, subject, done);
  const bool data_on_standard_output = options.timeline == "-" || options.links == "-" ||
                                       options.record == "-" || options.results.json == "-" ||
                                       options.results.csv == "-";
  if (!data_on_standard_output) {
    print(options, done, streams.out);
  }
  const RunResult& result = run_in(done).result;
  warn_of_ties(result, options.ties ? "" : "; $ties=100 shows more of the range", streams.messages);
  if (result.comparison && !result.comparison->agrees()) {
    streams.messages.error(disagreement_in_words(result));
    return kExitCheckFailed;
  }
  return kExitOk;
}

}  // namespace

Action add_simulate(Command& app, Streams streams) {
  Command& command =
      app.add_command("simulate", "Simulate one run on one platform, and compare it with formulas");
  auto options = std::make_shared<SimulateOptions>();
  command.add_option("algorithm", options->algorithm, kAlgorithmHelp).type_name("ALG").required();
  options->problem.add_to(command, Values::one);
  OptionGroup(command, "Problem").flag("--no-verify", options->no_verify, kNoVerifyHelp);
  options->machine.add_to(command, true);
  options->results.add_to(command);
  const OptionGroup output(command, "Output");
  output.flag("--misprints", options->misprints, kMisprintsHelp);
  output
      .add("--timeline", options->timeline, kWrittenFile,
           "Write a timeline as trace events, for https://ui.perfetto.dev")
      .usual();
  output.add("--links", options->links, kWrittenFile,
             "Write the load of each link and the time lost to it, most costly links first, as "
             "comma-separated values (engine flow)");
  output.add("--record", options->record, kWrittenFile,
             "Write a recording of the run as JSON, for 'tutti report' and 'tutti plot' (engines "
             "flow and critical-path)");
  output
      .flag("--explain", options->explain,
            "Explain the whole time: links, ports, ranks, and the difference from the formula; "
            "the timeline then marks the chain that ends last, and shows link loads (engines "
            "flow and critical-path)")
      .usual();
  add_sure(output, options->sure, "Also print the range of the time that has this probability");
  OptionGroup(command, "Machine")
      .add("--ties", options->ties, "COUNT",
           "Number of further runs with tiny random delays, which change the order of simultaneous "
           "operations. Show the range of total times, and warn if it is wider than 0.1 % [3 if "
           "operations wait for ports or cores and there are at most 20000 operations, otherwise "
           "0]",
           AsCount<kMostTieRuns>());
  options->machine.what_if.add_to(command, true);
  command.add_examples({"tutti simulate allreduce/ring -p 64 -n 1MiB",
                        "tutti simulate bcast/pipeline -p 64 -n 1MiB --tree binary --segment 64K "
                        "--platform platforms/torus_64.xml",
                        "tutti simulate allreduce/ring -p 16 -n 1MiB --timeline ring.json"});
  return [options, streams] { return simulate(*options, streams); };
}

}}  // namespace tutti::commands
