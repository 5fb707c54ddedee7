// tutti validate: simulates runs that were measured with real MPI, and compares the simulated and
// measured times.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "src/experiments/points/validation.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/validation_text.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/parameters.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace commands {

namespace {

struct ValidateOptions {
  std::string file;
  MachineOptions machine;
  std::uint32_t ranks_per_host = 1;
  std::string measured = "median";
  JsonPath json;
};

// Throws UserError if the data type or operator of a run differs from that of the runs with which
// the file of --parameters was calibrated, because the cost of a reduction depends on data type and
// operator.
void check_same_data(const MeasuredRuns& runs, const ValidateOptions& options) {
  if (!options.machine.parameters) {
    return;
  }
  const Parameters parameters = read_parameters(*options.machine.parameters);
  // A message model applies to all data types and operators.
  if (parameters.messages) {
    return;
  }
  for (const MeasuredRun& run : runs.runs) {
    // `op` is empty for runs that reduce nothing, and for runs read from the output of benchmarks.
    if (!run.op.empty() && (run.type != parameters.type || run.op != parameters.op)) {
      throw UserError(
          fmt::format("'{}' has runs with {} of {}, but $parameters '{}' is for {} of {}; "
                      "calibrate with $type {} $op {}",
                      options.file, run.op, run.type, *options.machine.parameters, parameters.op,
                      parameters.type, run.type, run.op));
    }
  }
}

// Simulates a run whose operations were measured, and compares the simulated and measured times of
// each operation. `file` is the file with the measured run, for error messages.
ValidatedRun validate_operations(const MeasuredRun& run, const Machine& machine,
                                 const std::string& file) {
  const Simulation simulated = simulate(*run.algorithm, run.problem, machine, Detail::payload);
  const Schedule& schedule = *simulated.schedule;
  if (run.timeline->end_s.size() != schedule.size()) {
    throw UserError(fmt::format("'{}': {}, {} bytes: the timeline has {}, but the schedule has {}",
                                file, run.algorithm->full_name(), run.problem.bytes,
                                counted(run.timeline->end_s.size(), "operation"), schedule.size()));
  }
  constexpr std::size_t kShown = 3;
  return {&run, simulated.result.simulated_s,
          compare_operations(schedule, *run.timeline, simulated.timeline, kShown)};
}

// Simulates the measured runs, and adds a result for each of them to `runs`. Returns false if a
// simulation failed.
bool simulate_measured(const MeasuredRuns& measured, const ValidateOptions& options,
                       std::uint32_t per_host, std::vector<ValidatedRun>& runs,
                       Messages& messages) {
  const OpenedMachine opened = options.machine.open(messages);
  std::vector<Machine> machines;
  // Elements of `cases` point to elements of `machines`, which must therefore not move.
  machines.reserve(measured.runs.size());
  std::vector<CaseRun> cases;
  std::vector<std::size_t> places;
  for (const MeasuredRun& run : measured.runs) {
    const Machine& machine = machines.emplace_back(
        opened.machine(run.problem.ranks, per_host, run.problem.element_bytes));
    if (run.timeline) {
      runs.push_back(validate_operations(run, machine, options.file));
    } else {
      places.push_back(runs.size());
      cases.push_back({{run.algorithm, run.problem, &machine}, {}});
      runs.push_back({&run, 0, {}});
    }
  }
  const auto runner = local_runner(machines.front(), processors(), messages);
  runner->keeps_nothing("");
  runner->run(cases, "simulating");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (const Refusal* const refusal = cases[i].outcome.refusal()) {
      throw UserError(refusal->why);
    }
    const RunResult* const result = cases[i].outcome.result();
    runs[places[i]].simulated_s = result != nullptr ? result->simulated_s : 0;
  }
  return !runner->sum_up();
}

void print_refused(const MeasuredRuns& measured, std::ostream& out) {
  constexpr std::size_t kMostShown = 5;
  out << fmt::format("# {} of the file had been refused\n", counted(measured.refused, "run"));
  for (std::size_t i = 0; i < std::min(measured.refusals.size(), kMostShown); ++i) {
    print_field(out, 0, 4, "#", measured.refusals[i]);
  }
  if (measured.refusals.size() > kMostShown) {
    out << fmt::format("#   and {} more\n", measured.refusals.size() - kMostShown);
  }
}

std::array<std::string_view, 2> measured_times() { return {"median", "fastest"}; }

int validate(const ValidateOptions& options, Streams streams) {
  MeasuredRuns measured = measured_runs_of("run", options.file);
  if (options.measured == "fastest") {
    for (MeasuredRun& run : measured.runs) {
      run.median_s = run.low_s = run.high_s = run.fastest_s;
    }
  }
  check_same_data(measured, options);
  OptionalOutput json_file("$json", options.json, kJsonFile, streams.out);
  std::vector<ValidatedRun> runs;
  if (!simulate_measured(measured, options, options.ranks_per_host, runs, streams.messages)) {
    return kExitCheckFailed;
  }
  report_notes(measured.notes, streams.messages);
  Validation validation = validation_of(std::move(runs));
  validation.too_busy = measured.too_busy;
  json_file.write(
      [&](std::ostream& out) { write_document(kValidationDocument, validation, 2, out); });
  if (options.json != "-") {
    print_validation(validation, streams.out);
    if (measured.refused > 0) {
      print_refused(measured, streams.out);
    }
  }
  return kExitOk;
}

}  // namespace

Action add_validate(Command& app, Streams streams) {
  Command& command = app.add_command(
      "validate",
      "Compare simulated runs with runs on real MPI: errors, and which algorithm is fastest");
  auto options = std::make_shared<ValidateOptions>();
  command
      .add_option(
          "run", options->file,
          "Measured times: output of 'tutti-mpi run --json', points as for 'tutti score', or the "
          "output of OSU micro-benchmarks, the Intel MPI Benchmarks, nccl-tests or PICO, given as "
          "allreduce/ring@16=FILE; several files may be separated by commas, or given by a pattern "
          "with *, or by a folder")
      .type_name("FILE,...")
      .required();
  options->machine.add_to(command, true);
  const OptionGroup machine(command, "Machine");
  machine
      .add("--ranks-per-host", options->ranks_per_host, "COUNT", "Ranks on each host [1]",
           AsPositiveCount())
      .usual();
  machine.add("--measured", options->measured, "NAME",
              "Measured time of an algorithm with several runs: median [default], or fastest (the "
              "least disturbed run, for a machine that also runs other jobs)",
              AsWord<measured_times>());
  add_json_option(command, options->json, "the comparison");
  command.add_examples({"tutti validate runs.json --parameters machine.json",
                        "tutti validate allreduce/ring@16=examples/fit/osu_allreduce.txt",
                        "tutti validate runs.json --json -"});
  return [options, streams] { return validate(*options, streams); };
}

}}  // namespace tutti::commands
