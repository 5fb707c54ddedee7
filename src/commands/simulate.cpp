// tutti simulate: simulates one run on one platform, and compares its time with the predictions of
// formulas.
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
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/option_group.hpp"
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

struct SimulateOptions {
  std::string algorithm;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  OptionText timeline;
  OptionText links;
  OptionText record;
  OptionText ties;
  OptionText sure;
  bool no_verify = false;
  bool misprints = false;
  bool explain = false;
};

constexpr std::uint32_t kMostTieRuns = 100'000;

TieProbe tie_probe(const SimulateOptions& options, const Machine& machine) {
  TieProbe probe = unasked_ties(machine);
  const bool can = machine.engine->moves_starts;
  probe.seed = options.machine.what_if.seed_or(probe.seed);
  if (!options.ties) {
    return probe;
  }
  probe.most_ops = 0;
  probe.runs = parse_count("--ties", *options.ties, kMostTieRuns);
  if (!can && probe.runs > 0) {
    throw UserError(
        fmt::format("--ties '{}': the engine {} cannot delay operations by the tiny times that "
                    "--ties needs; use --engine flow or critical-path",
                    *options.ties, machine.engine->name));
  }
  return probe;
}

// With a radix above 2, a rank has messages for several others at a time, and the number of ports
// decides how long they take. Returns the time with unlimited ports if the user chose the radix,
// but not the ports; nothing if the run is so long that another one would not be cheap.
std::optional<double> time_with_all_ports(const SimulateOptions& options,
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

int simulate(const SimulateOptions& options, Streams streams) {
  std::optional<WhenInterrupted> when_interrupted(
      std::in_place, [] { return std::string("; nothing was written"); });
  SimulationInput subject =
      simulation_input(options.algorithm, options.problem, options.machine.open(streams.messages),
                       options.no_verify);
  const Algorithm& algorithm = *subject.algorithm;
  const Problem problem = subject.problem;
  Machine& machine = subject.machine;
  machine.setup.ties = tie_probe(options, machine);
  const std::optional<double> level = sure_level(options.sure);
  if (level && subject.file) {
    throw UserError(
        fmt::format("--sure '{}': needs an algorithm of tutti, not a file", *options.sure));
  }
  const ModelUncertainty* const uncertainty = level ? &uncertainty_of(machine) : nullptr;
  if (options.links && !machine.engine->counts_links) {
    throw UserError(
        fmt::format("--links '{}': the engine {} has no link statistics; use --engine flow",
                    *options.links, machine.engine->name));
  }
  if (const auto why = unexplained(machine); options.explain && why) {
    throw UserError("--explain: " + *why);
  }
  if (const auto why = unexplained(machine); options.record && why) {
    throw UserError(fmt::format("--record '{}': {}", *options.record, *why));
  }
  if (options.record && machine.both_engines()) {
    throw UserError(
        fmt::format("--record '{}': only one run can be recorded, but --engine both makes two; use "
                    "--engine flow",
                    *options.record));
  }
  const bool explains = options.links || options.explain || options.record;
  const Machine alike = machine;
  if (explains) {
    show_single_ranks(machine, options.links     ? "--links"
                               : options.explain ? "--explain"
                                                 : "--record");
  }
  check_one_standard_output({&options.timeline, &options.links, &options.record,
                             &options.results.json, &options.results.csv});
  AskedOutput timeline_file("--timeline", options.timeline, kJsonFile, streams.out);
  AskedOutput links_file("--links", options.links, kCsvFile, streams.out);
  AskedOutput record_file("--record", options.record, kJsonFile, streams.out);
  AskedOutput json_file("--json", options.results.json, kJsonFile, streams.out);
  AskedOutput csv_file("--csv", options.results.csv, kCsvFile, streams.out);

  if (!proved(subject, streams.messages)) {
    return kExitCheckFailed;
  }
  const Machine asked = machine;
  if (explains) {
    watch_run(machine, options.record ? Watch::routes : Watch::chain);
  }
  std::optional<RunWatch> watch(std::in_place, "simulating", streams.messages);
  std::optional<Recording> recording;
  std::optional<Explanation> only_explanation;
  std::optional<Simulation> only_run;
  const bool only_text = !timeline_file && !links_file && !record_file && !json_file && !csv_file;
  if (options.explain && only_text && !subject.file) {
    only_explanation = explain_one_rank(algorithm, problem, alike, false);
  }
  if (only_explanation) {
    only_explanation->run.result.best_segment = subject.best;
  } else {
    only_run =
        simulate(subject, timeline_file || record_file ? Detail::payload : Detail::times_only);
    if (RunResult& found = only_run->result; found.comparison) {
      try_other_orders(*found.comparison, found.simulated_s, *only_run->schedule, asked);
    }
  }
  RunResult& result = only_explanation ? only_explanation->run.result : only_run->result;
  if (!options.misprints) {
    result.drop_misprints();
  }
  Limits(machine).put_in(result);
  if (!subject.file) {
    result.unlimited_ports_s = time_with_all_ports(options, algorithm, problem, alike, result);
  }
  if (level) {
    const UncertainTime time = uncertain_time(moved_models(*machine.files.messages, *uncertainty),
                                              {&algorithm, problem, &machine});
    result.range = {*level, time_range(time, uncertainty->spread(), *level)};
  }
  if (options.record) {
    recording = record_with_improvements(std::move(*only_run), asked);
  } else if (explains && !only_explanation) {
    only_explanation = explain(std::move(*only_run));
    if (options.explain) {
      only_explanation->limit = limit_gap(only_explanation->run, only_explanation->account, false);
    }
  }
  watch.reset();
  when_interrupted.reset();
  const Explanation* const explanation = recording          ? &recording->explanation
                                         : only_explanation ? &*only_explanation
                                                            : nullptr;
  const Simulation& done = explanation != nullptr ? explanation->run : *only_run;
  const auto write_timeline = [&](std::ostream& out) {
    write_timeline_json(*done.schedule, done.timeline,
                        run_in_words(algorithm.full_name(), algorithm, problem), out,
                        explanation != nullptr ? timeline_extras(*explanation) : TimelineExtras());
  };
  const auto write_json = [&](std::ostream& out) {
    options.explain ? write_explained_result_json(*explanation, out)
                    : write_result_json(done.result, out);
  };
  write_together({{timeline_file, write_timeline},
                  {links_file, [&](std::ostream& out) { write_links_csv(*explanation, out); }},
                  {record_file, [&](std::ostream& out) { write_recording_json(*recording, out); }},
                  {json_file, write_json},
                  {csv_file, [&](std::ostream& out) { write_result_csv(done.result, out); }}});
  const bool data_on_standard_output = options.timeline == "-" || options.links == "-" ||
                                       options.record == "-" || options.results.json == "-" ||
                                       options.results.csv == "-";
  if (!data_on_standard_output) {
    print_result(done.result, streams.out);
    if (options.explain) {
      streams.out << '\n';
      print_explanation(*explanation, streams.out);
    }
    if (options.timeline) {
      streams.out << fmt::format("\nTimeline written to {}; open it in https://ui.perfetto.dev\n",
                                 printable(*options.timeline));
    }
  }
  warn_of_ties(done.result, options.ties ? "" : "; --ties 100 shows more of the range",
               streams.messages);
  if (done.result.comparison && !done.result.comparison->agrees()) {
    streams.messages.error(disagreement_in_words(done.result));
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
  options->problem.add_to(command);
  OptionGroup(command, "Problem").flag("--no-verify", options->no_verify, kNoVerifyHelp);
  options->machine.add_to(command, true);
  options->results.add_to(command);
  const OptionGroup output(command, "Output");
  output.flag("--misprints", options->misprints, kMisprintsHelp);
  output.add("--timeline", options->timeline, kWrittenFile,
             "Write a timeline as trace events, for https://ui.perfetto.dev");
  output.add("--links", options->links, kWrittenFile,
             "Write the load of each link and the time lost to it, most costly links first, as "
             "comma-separated values (engine flow)");
  output.add("--record", options->record, kWrittenFile,
             "Write a recording of the run as JSON, for 'tutti report' and 'tutti plot' (engines "
             "flow and critical-path)");
  output.flag("--explain", options->explain,
              "Explain the whole time: links, ports, ranks, and the difference from the formula; "
              "the timeline then marks the chain that ends last, and shows link loads (engines "
              "flow and critical-path)");
  add_sure_option(output, options->sure,
                  "Also print the range of the time that has this probability");
  OptionGroup(command, "Machine")
      .add("--ties", options->ties, "COUNT",
           "Number of further runs with tiny random delays, which change the order of simultaneous "
           "operations. Show the range of total times, and warn if it is wider than 0.1 % [3 if "
           "operations wait for ports or cores and there are at most 20000 operations, otherwise "
           "0]");
  options->machine.what_if.add_to(command, true);
  command.add_examples({"tutti simulate allreduce/ring -p 64 -n 1MiB",
                        "tutti simulate bcast/pipeline -p 64 -n 1MiB --tree binary --segment 64K "
                        "--platform platforms/torus_64.xml",
                        "tutti simulate allreduce/ring -p 16 -n 1MiB --timeline ring.json"});
  return [options, streams] { return simulate(*options, streams); };
}

}}  // namespace tutti::commands
