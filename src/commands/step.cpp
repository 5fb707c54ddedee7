// tutti step: simulates a training step, which computes and communicates in several groups.
#include "src/steps/simai/step.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/run_watch.hpp"
#include "src/output/layouts_output.hpp"
#include "src/output/step_text.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_options.hpp"
#include "src/steps/answer.hpp"
#include "src/steps/layouts.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr InputKind kStepFile{"a description of a step", std::uint64_t{64} << 20U, true};

struct StepCommand {
  std::string file;
  ProblemOptions problem;
  MachineOptions machine;
  NcclOptions gpus;
  bool every_iteration = false;
  std::optional<ValueWithText<std::vector<AxisSizes>>> layout;
  JsonPath json;
};

// Returns the machine for NCCL's choices; nothing if the hosts are not GPUs.
std::optional<NcclOptions> gpus_of(const StepCommand& options) {
  const NcclOptions gpus = options.gpus.on_platform(options.machine.platform_file());
  if (gpus.hosts_are_gpus() || (!options.machine.platform && !gpus.given().empty())) {
    return gpus.with_ranks_per_host(options.problem.ranks_per_host);
  }
  if (!gpus.given().empty()) {
    throw UserError(fmt::format(
        "{} has no effect: the hosts of $platform '{}' are not GPUs; leave one of the two out",
        gpus.given(), *options.machine.platform));
  }
  return std::nullopt;
}

// Adds SimAI's totals, or a note that says why there are none.
void compare_with_simai(const SimaiWorkload& workload, StepAnswer& answer) {
  try {
    answer.simai = simai_comparison(workload, answer.machine);
  } catch (const UserError& error) {
    answer.step.notes.push_back(
        fmt::format("SimAI's formulas have no totals here: {}", error.what()));
  }
}

int step(const StepCommand& options, Streams streams) {
  OptionalOutput file("$json", options.json, kJsonFile, streams.out);
  const std::string text = read_file(options.file, kStepFile);
  const auto ranks =
      options.problem.ranks ? std::optional(options.problem.ranks->value.front()) : std::nullopt;
  std::vector<std::vector<LayoutAxis>> layouts{{}};
  std::optional<SimaiWorkload> simai;
  if (is_simai_workload(text)) {
    simai = parse_simai_workload(text, options.file, ranks);
  }
  if (options.layout && simai) {
    throw UserError(fmt::format(
        "$layout '{}': the layout of a workload of SimAI is in the file; leave the option out",
        options.layout->text));
  }
  if (options.layout) {
    layouts = combinations_of(options.layout->value, text, options.file);
  }
  const OpenedMachine opened = options.machine.open(streams.messages);
  const std::optional<NcclOptions> gpus = gpus_of(options);
  const auto machine_for = [&](std::uint32_t of_ranks) {
    const auto& element_bytes = options.problem.element_bytes;
    StepMachine machine =
        step_machine(opened, gpus, of_ranks, options.problem.ranks_per_host_count(),
                     element_bytes ? element_bytes->value : Problem{}.element_bytes);
    machine.repetition = !options.every_iteration;
    return machine;
  };
  std::optional<RunWatch> watch(std::in_place, "simulating", streams.messages);
  if (layouts.size() > 1) {
    const LayoutComparison comparison =
        compare_layouts(text, options.file, ranks, layouts, machine_for);
    watch.reset();
    file.write([&](std::ostream& out) { write_document(kLayoutsDocument, comparison, 2, out); });
    if (options.json != "-") {
      print_layouts(comparison, streams.out);
    }
    return kExitOk;
  }
  StepDescription description =
      simai ? step_of(*simai) : read_step(text, options.file, ranks, layouts.front());
  StepMachine machine = machine_for(description.ranks);
  StepAnswer answer = answer_of(std::move(description), std::move(machine));
  if (simai) {
    compare_with_simai(*simai, answer);
  }
  watch.reset();
  file.write([&](std::ostream& out) { write_document(kStepDocument, answer, 2, out); });
  if (options.json != "-") {
    print_step(answer, streams.out);
  }
  if (answer.comparison && !answer.comparison->agrees()) {
    streams.messages.error(step_engines_in_words(*answer.comparison));
    return kExitCheckFailed;
  }
  return kExitOk;
}

}  // namespace

Action add_step(Command& app, Streams streams) {
  Command& command = app.add_command(
      "step", "Simulate a training step: computing, and collectives of several groups beside it");
  auto options = std::make_shared<StepCommand>();
  command
      .add_option("file", options->file,
                  "Description of the step: the layout of the ranks, and what each rank computes "
                  "and communicates, in order; or a workload of SimAI")
      .type_name("FILE")
      .required();
  options->problem.add_plain_to(command, Values::one);
  command.option("--ranks").description(
      "Number of ranks, unless the description says it: the size of the axis without a size "
      "follows from it");
  command.remove_option("--bytes");
  options->problem.add_ranks_per_host(OptionGroup(command, "Problem"));
  options->machine.add_to(command, true);
  options->gpus.add_to(command);
  command.add_flag("--every-iteration", options->every_iteration,
                   "Simulate every iteration of a repeat, and every micro-batch. Otherwise, those "
                   "that repeat themselves are multiplied, with the same result");
  OptionGroup(command, "Comparison")
      .add(
          "--layout", options->layout, "SIZES",
          "Other sizes of axes, such as tp=1..8*2,pp=2,4: with several sizes, compares the layouts "
          "of all combinations",
          parse_axis_sizes);
  add_json_option(command, options->json, "all results");
  command.add_examples({"tutti step examples/steps/fsdp.step -p 16 --gpu h100",
                        "tutti step examples/steps/tensor_parallel.step -p 32 --gpu b200",
                        "tutti step examples/steps/tensor_parallel.step -p 16 --platform "
                        "platforms/torus_64.xml --json step.json"});
  return [options, streams] { return step(*options, streams); };
}

}}  // namespace tutti::commands
