// tutti explain: shows what a run spends its time on, or why the times of two runs differ.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "schedules/run_words.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/run_watch.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/explanation_json.hpp"
#include "src/output/explanation_text.hpp"
#include "src/output/result_text.hpp"
#include "src/output/result_words.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/simulation_input.hpp"
#include "src/simulation/explain/contrast.hpp"
#include "src/simulation/explain/explanation.hpp"
#include "src/simulation/explain/one_rank.hpp"
#include "src/simulation/message_changes.hpp"

namespace tutti { inline namespace commands {

namespace {

struct ExplainOptions {
  std::string algorithm;
  std::optional<std::string> against;  // name of an algorithm, or path of a file
  ProblemOptions problem;
  MachineOptions machine;
  JsonPath json;
  bool no_verify = false;
};

void print_title(const Explanation& explanation, std::ostream& out) {
  const RunResult& result = explanation.run.result;
  const auto line = [&out](std::string_view text) { print_field(out, 0, 0, "", text); };
  line(fmt::format(
      "{}{}: {}", result.file.empty() ? std::string() : printable(result.file) + ": ",
      printable(run_in_words(result.algorithm->full_name(), *result.algorithm, result.problem)),
      human_time(result.simulated_s)));
  line("on " + platform_in_words(result));
  if (!result.machine.spec.what_ifs.empty()) {
    line(fmt::format("what if: {}", printable(what_ifs_in_words(result.machine))));
  }
  if (result.repeats.runs > 0) {
    line(fmt::format("the median of {} runs, which is the one with --seed {}", result.repeats.runs,
                     result.repeats.seed));
  }
  if (!result.why_unproved().empty()) {
    line("unproved: " + printable(result.why_unproved()));
  }
  out << '\n';
}

// Simulates a run, and returns the explanation of its time. If `improve` is true, the explanation
// also shows what would make the run faster. If a schedule that the user wrote is wrong, prints the
// reason and returns nothing.
std::optional<Explanation> explained(SimulationInput& subject, const ExplainOptions& options,
                                     bool improve, Streams streams) {
  if (const auto why = unexplained(subject.machine)) {
    throw UserError(*why);
  }
  if (subject.machine.both_engines()) {
    throw UserError("$engine=both: only one run can be explained; use $engine=flow");
  }
  Machine alike = subject.machine;
  show_single_ranks(subject.machine, "explain");
  if (!proved(subject, streams.messages)) {
    return std::nullopt;
  }
  subject.machine.setup.ties = alike.setup.ties = default_tie_probe(subject.machine);
  Machine machine = subject.machine;
  std::optional<RunWatch> watch(std::in_place, "explaining", streams.messages);
  if (improve && !options.json && !subject.file) {
    if (auto explanation = explain_one_rank(*subject.algorithm, subject.problem, alike, true)) {
      explanation->run.result.drop_misprints();
      explanation->run.result.best_segment = subject.best;
      return explanation;
    }
  }
  watch_run(subject.machine);
  Simulation run = simulate(subject, Detail::times_only);
  run.result.drop_misprints();
  machine.library_work = run.result.machine.library_work;
  Explanation explanation = explain(std::move(run));
  if (improve || options.json) {  // print_contrast() does not show it
    explanation.limit = limit_gap(explanation.run, explanation.account, false);
    explanation.run.result.bound_s = explanation.limit->bound_s();
  }
  if (improve) {
    explanation.improvements = what_would_help(explanation.run, machine, &explanation.account);
  }
  watch.reset();
  warn_of_ties(explanation.run.result, "; 'tutti simulate --ties 100' shows more of the range",
               streams.messages);
  return explanation;
}

int explain(const ExplainOptions& options, Streams streams) {
  OptionalOutput json_file("$json", options.json, kJsonFile, streams.out);
  if (options.against) {
    auto subjects = simulation_inputs({options.algorithm, *options.against}, options.problem,
                                      options.machine.open(streams.messages), options.no_verify);
    const auto explanation = explained(subjects[0], options, false, streams);
    const auto against =
        explanation ? explained(subjects[1], options, false, streams) : std::nullopt;
    if (!against) {
      return kExitCheckFailed;
    }
    const Contrast apart = contrast(*explanation, *against);
    const ContrastAnswer answer{apart, *explanation, *against};
    json_file.write([&](std::ostream& out) { write_document(kContrastDocument, answer, 2, out); });
    if (options.json != "-") {
      const Both<std::string> names{printable(options.algorithm), printable(*options.against)};
      print_contrast(apart, *explanation, *against, names, streams.out);
    }
    return kExitOk;
  }
  SimulationInput subject =
      simulation_input(options.algorithm, options.problem, options.machine.open(streams.messages),
                       options.no_verify);
  const auto explanation = explained(subject, options, true, streams);
  if (!explanation) {
    return kExitCheckFailed;
  }
  json_file.write(
      [&](std::ostream& out) { write_document(kExplanationDocument, *explanation, 2, out); });
  if (options.json != "-") {
    print_title(*explanation, streams.out);
    print_explanation(*explanation, streams.out);
  }
  return kExitOk;
}

}  // namespace

Action add_explain(Command& app, Streams streams) {
  Command& command = app.add_command(
      "explain",
      "Explain where the time of a run goes (links, ports, ranks), and why it differs from the "
      "formula");
  auto options = std::make_shared<ExplainOptions>();
  command.add_option("algorithm", options->algorithm, kAlgorithmHelp).type_name("ALG").required();
  const OptionGroup problem(command, "Problem");
  problem
      .add("--against", options->against, "ALG",
           "Another algorithm or file: show where the two differ, by cause, round and link")
      .usual();
  options->problem.add_to(command, Values::one);
  problem.flag("--no-verify", options->no_verify, kNoVerifyHelp);
  options->machine.add_to(command, true);
  options->machine.what_if.add_to(command, false);
  add_json_option(command, options->json, "the explanation");
  command.add_examples(
      {"tutti explain allreduce/ring -p 16 -n 1MiB",
       "tutti explain alltoall/linear -p 64 -n 64K --platform platforms/torus_64.xml",
       "tutti explain allreduce/rabenseifner --against allreduce/circulant -p 64 -n 1MiB "
       "--platform platforms/infiniband_hdr_128_thin.xml"});
  return [options, streams] { return explain(*options, streams); };
}

}}  // namespace tutti::commands
