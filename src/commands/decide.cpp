// tutti decide: finds the best algorithm for every number of ranks and size, and writes rules for
// MPI libraries.
#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/stopwatch.hpp"
#include "src/commands/command.hpp"
#include "src/commands/decide_request.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/decisions/leads.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/decision_text.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace commands {

namespace {

int decide(const DecideOptions& options, Streams streams) {
  check_sure_shows(options.sure, options.results);
  if (options.sure && (options.library || options.profile)) {
    throw UserError(fmt::format("$sure '{}': needs one collective; leave out {}",
                                options.sure->text, options.library ? "$library" : "$profile"));
  }
  const bool writes_rules = options.export_format && !options.export_format->value.csv;
  if (!streams.sources.empty() && (options.library || options.profile || writes_rules)) {
    throw UserError(fmt::format(
        "$with '{}': a library does not have this schedule, and rules cannot name it; leave it out",
        streams.sources.front()->name()));
  }
  if (options.library) {
    return decide_site(options, streams);
  }
  if (options.messages_at_most) {
    throw UserError(
        fmt::format("$messages_at_most '{}': needs $library; without it, no schedule is left out "
                    "because of its size",
                    *options.messages_at_most));
  }
  if (options.profile) {
    return decide_profile(options, streams);
  }
  if (options.collective == "all") {
    throw UserError("decide all: give $library, such as \"Open MPI 5.0.6\", or $profile FILE");
  }
  if (options.collective.empty()) {
    throw UserError(
        fmt::format("which collective? Give {}, or $profile FILE with the calls of a program",
                    collective_help()));
  }
  const Stopwatch watch;
  const std::size_t jobs = options.jobs;
  const DecisionExport exported = export_of(options);
  if (!collective_meant(options.collective) && means_file(options.collective)) {
    throw UserError(fmt::format("'{}' is a file: give a collective, and the file with $with {}",
                                options.collective, shell_path(options.collective)));
  }
  const Collective collective = parse_collective(options.collective);
  const OpenedMachine machine = open_machine(options, streams.messages);
  const std::optional<NcclRuleSetup> nccl =
      nccl_rule_setup(options, exported, machine, streams.messages);
  DecisionTask task = decision_task(options, machine, collective, exported.library(), 0, streams);
  use_machine_of_gpu(options, task.request);
  PreparedDecision prepared = prepare_decision(std::move(task.request));
  Decision& decision = prepared.decision;
  if (options.sure) {
    check_sure(decision);
  }
  const std::optional<Rival> rival = baseline_of_against(options, prepared);
  add_own_choice(options, exported, nccl, prepared);
  if (!options.contenders.no_verify && !prove_own(prepared, streams.messages)) {
    return kExitCheckFailed;
  }
  // Opens the output files before runner_of() creates the database. Otherwise, the database would
  // remain if an output file could not be opened.
  OptionalOutput json_file("$json", options.results.json, kJsonFile, streams.out);
  OptionalOutput csv_file("$csv", options.results.csv, kCsvFile, streams.out);
  if (exported.path && exported.csv) {
    check_ending("$output", *exported.path, kCsvFile);
  }
  OptionalOutput export_file(exported.path, streams.out);
  const auto runner = runner_of(options, decision, jobs, streams.messages);

  if (nccl) {
    carry_out_nccl(decision, *nccl, jobs);
  } else {
    carry_out(decision, runner.get(), jobs, options.everything);
  }
  report_notes(decision.measured_notes, streams.messages);
  if (rival && something_runs(decision)) {
    decision.judgement = judge(decision, *rival, runner.get());
  }
  const bool lost = runner && runner->sum_up();
  check_something_runs(decision);
  check_rules_remain(options, exported, decision);
  find_leads(decision, options.everything || json_file || export_file ? LeadsToExplain::all
                                                                      : LeadsToExplain::largest);
  find_limits(decision);
  if (options.sure) {
    decision.sure = sure_choices(decision, options.sure->value, jobs, streams.messages);
  }
  decision.wall_s = watch.seconds();
  const Decision* const one = &decision;
  write_together(
      {{json_file, [&](std::ostream& out) { write_document(kDecisionDocument, decision, 1, out); }},
       {csv_file, [&](std::ostream& out) { write_decision_csv(decision, out); }},
       {export_file, [&](std::ostream& out) {
          write_export(options, {&one, 1}, exported, out);
        }}});
  if (options.results.json != "-" && options.results.csv != "-" && exported.path != "-") {
    print_decision(decision, options.everything, streams.out);
    print_loading(exported, {&collective, 1}, streams.out);
  }
  return lost ? kExitCheckFailed : kExitOk;
}

}  // namespace

Action add_decide(Command& app, Streams streams) {
  Command& command = app.add_command(
      "decide",
      "Find the best algorithm for every number of ranks and size; write rules for MPI libraries");
  auto options = std::make_shared<DecideOptions>();
  command.add_option("collective", options->collective, collective_help()).type_name("COLLECTIVE");
  options->add_to(command, streams);
  command.add_examples({"tutti decide allreduce -p 4..64*2 -n 8..1MiB*2",
                        "tutti decide bcast -p 4..64*4 -n 64..4MiB*4 --export ompi4 -o rules.conf",
                        "tutti decide allreduce -p 8,64 -n 8..1MiB*8 "
                        "--against examples/decisions/open_mpi_4.1.json"});
  return [options, streams] { return decide(*options, streams); };
}

}}  // namespace tutti::commands
