// tutti step: simulates a training step, which computes and communicates in several groups.
#include "src/steps/simai/step.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/run_watch.hpp"
#include "src/interchange/chakra.hpp"
#include "src/output/layouts_output.hpp"
#include "src/output/step_text.hpp"
#include "src/output/step_timeline.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/option_parsers.hpp"
#include "src/requests/problem_options.hpp"
#include "src/steps/algorithm_rules.hpp"
#include "src/steps/answer.hpp"
#include "src/steps/layouts.hpp"
#include "src/steps/step_file.hpp"
#include "src/steps/trace/trace_answer.hpp"
#include "src/steps/what_if.hpp"

namespace tutti { inline namespace commands {

namespace {

// Ranks whose streams are kept, if those of all are not.
constexpr std::uint32_t kShownRanks = 8;
constexpr const char* kRanksPerHostGroup = "Ranks on a host";
constexpr const char* kRulesGroup = "Algorithms";
// Timelines of all ranks have at most this many slices; longer ones have some of the ranks.
constexpr std::uint64_t kMostTimelineSlices = 500'000;

std::vector<std::pair<std::string, TraceSizes>> trace_sizes() {
  return {{"input", TraceSizes::input}, {"whole", TraceSizes::whole}};
}

struct StepCommand {
  const Command* command = nullptr;  // the command that has these options
  std::string file;
  ProblemOptions problem;
  MachineOptions machine;
  NcclOptions gpus;
  bool every_iteration = false;
  std::optional<ValueWithText<std::vector<AxisSizes>>> layout;
  std::vector<std::string> versus;  // options of other machines
  std::string algorithms;           // rules
  std::optional<TraceSizes> trace_sizes;
  bool what_if = false;
  bool streams = false;
  bool explain = false;
  std::optional<std::string> timeline;  // path of a file
  JsonPath json;
};

// Adds SimAI's totals, or a note that says why there are none.
void compare_with_simai(const SimaiWorkload& workload, StepAnswer& answer) {
  try {
    answer.simai = simai_comparison(workload, answer.machine);
  } catch (const UserError& error) {
    answer.step.notes.push_back(
        fmt::format("SimAI's formulas have no totals here: {}", error.what()));
  }
}

std::optional<std::uint32_t> given_ranks(const StepCommand& options) {
  return options.problem.ranks ? std::optional(options.problem.ranks->value.front()) : std::nullopt;
}

// Returns the machine for a number of ranks.
using MachineForRanks = std::function<StepMachine(std::uint32_t)>;

MachineForRanks machines_of(const StepCommand& options, Streams streams) {
  const OpenedMachine opened = options.machine.open(streams.messages);
  return [&options, opened,
          gpus = gpus_for_steps(options.gpus, options.machine, options.problem.ranks_per_host)](
             std::uint32_t ranks) {
    const auto& element_bytes = options.problem.element_bytes;
    StepMachine machine =
        step_machine(opened, gpus, ranks, options.problem.ranks_per_host_count(),
                     element_bytes ? element_bytes->value : Problem{}.element_bytes);
    machine.repetition = !options.every_iteration;
    return machine;
  };
}

StepAnswer answer_of_trace(const StepCommand& options, const MachineForRanks& machines) {
  if (options.layout) {
    throw UserError(
        fmt::format("$layout '{}': a trace of Chakra has no layout; leave the option out",
                    options.layout->text));
  }
  const ChakraTrace trace = read_chakra_trace(options.file);
  const auto count = static_cast<std::uint32_t>(trace.ranks.size());
  if (const auto ranks = given_ranks(options); ranks && *ranks != count) {
    throw UserError(
        fmt::format("$ranks '{}': there are traces of {}", *ranks, counted(count, "rank")));
  }
  return answer_of(trace, options.trace_sizes.value_or(TraceSizes::input), options.algorithms,
                   machines(count));
}

// Simulates a step; the timeline has all ranks if it is short.
StepAnswer simulated_answer(const StepCommand& options, StepDescription description,
                            StepRequest request, const MachineForRanks& machines) {
  add_algorithm_rules("$algorithm", options.algorithms, description);
  if (options.timeline && description.ranks * description.actions.size() <= kMostTimelineSlices) {
    request.streams = kAllRanks;
  }
  StepMachine machine = machines(description.ranks);
  return answer_of(std::move(description), std::move(machine), request);
}

StepAnswer answer_of_simai(const StepCommand& options, const std::string& text,
                           const StepRequest& request, const MachineForRanks& machines) {
  if (options.layout) {
    throw UserError(fmt::format(
        "$layout '{}': the layout of a workload of SimAI is in the file; leave the option out",
        options.layout->text));
  }
  const SimaiWorkload workload = parse_simai_workload(text, options.file, given_ranks(options));
  StepAnswer answer = simulated_answer(options, step_of(workload), request, machines);
  compare_with_simai(workload, answer);
  return answer;
}

StepAnswer answer_of_description(const StepCommand& options, const std::string& text,
                                 const std::vector<LayoutAxis>& layout, const StepRequest& request,
                                 const MachineForRanks& machines) {
  return simulated_answer(options, read_step(text, options.file, given_ranks(options), layout),
                          request, machines);
}

// Adds the options, and stores their values in `options`.
void add_options(Command& command, StepCommand& options);

// A machine of --versus: the options that the user gave, changed by those in its value.
struct OtherMachine {
  OtherMachine(const StepCommand& given, const std::string& text) : program("step", "") {
    constexpr std::array<std::string_view, 5> kHeadings{kMachineGroup, kPricesGroup, kNcclGroup,
                                                        kRanksPerHostGroup, kRulesGroup};
    add_options(program, options);
    change_options(*given.command, text, kHeadings, program);
  }

  Command program;
  StepCommand options;
};

// Returns the first option that needs a single layout, and no trace; "" if there is none.
std::string_view option_of_steps(const StepCommand& options) {
  return options.what_if    ? "$what_if"
         : options.timeline ? "$timeline"
         : options.streams  ? "$streams"
         : options.explain  ? "$explain"
                            : "";
}

// Returns the first option that a trace cannot have; "" if there is none.
std::string_view option_without_trace(const StepCommand& options) {
  const std::string_view option = option_of_steps(options);
  return !option.empty()            ? option
         : options.every_iteration  ? "$every_iteration"
         : options.machine.symmetry ? "$symmetry"
                                    : "";
}

// Returns the answer for a layout on the machine of `options`; `text` is the content of the file.
StepAnswer answer_of_file(const StepCommand& options, const std::string& text,
                          const std::vector<LayoutAxis>& layout, const StepRequest& request,
                          const MachineForRanks& machines) {
  return is_chakra(text) ? answer_of_trace(options, machines)
         : is_simai_workload(text)
             ? answer_of_simai(options, text, request, machines)
             : answer_of_description(options, text, layout, request, machines);
}

// Throws UserError if an option has no effect on the file.
void check_options(const StepCommand& options, bool trace) {
  if (options.trace_sizes && !trace) {
    throw UserError(fmt::format("$trace_sizes has no effect: '{}' is not a trace of Chakra",
                                printable(options.file)));
  }
  if (const std::string_view option = option_without_trace(options); trace && !option.empty()) {
    throw UserError(fmt::format("{} is not available for traces of Chakra; leave it out", option));
  }
}

// Adds a sentence if two engines disagree.
void check_engines(const StepAnswer& answer, std::vector<std::string>& faults) {
  if (answer.comparison && !answer.comparison->agrees()) {
    faults.push_back(step_engines_in_words(*answer.comparison));
  }
}

// Reports the faults. Returns the exit code.
int report_faults(const std::vector<std::string>& faults, Streams streams) {
  for (const std::string& fault : faults) {
    streams.messages.error(fault);
  }
  return faults.empty() ? kExitOk : kExitCheckFailed;
}

// Returns the cases of all layouts on the given machine, and then on each other one. They pass
// `faults` to check_engines(). All arguments must outlive the cases.
std::vector<StepCase> cases_of(const StepCommand& options, const std::string& text,
                               const std::vector<std::vector<LayoutAxis>>& layouts, Streams streams,
                               std::vector<std::string>& faults) {
  std::vector<StepCase> cases;
  std::uint32_t machine = 0;
  const auto add = [&](const StepCommand& on, const std::string& changed,
                       const std::shared_ptr<OtherMachine>& owner) {
    const MachineForRanks machines = machines_of(on, streams);
    for (const std::vector<LayoutAxis>& layout : layouts) {
      cases.push_back({layout, machine, changed, [&on, &text, &faults, layout, machines, owner] {
                         StepAnswer answer = answer_of_file(on, text, layout, {}, machines);
                         check_engines(answer, faults);
                         return answer;
                       }});
    }
    ++machine;
  };
  add(options, "", nullptr);
  for (const std::string& changed : options.versus) {
    try {
      const auto other = std::make_shared<OtherMachine>(options, changed);
      check_options(other->options, is_chakra(text));
      add(other->options, changed, other);
    } catch (const UserError& error) {
      throw UserError(fmt::format("$versus '{}': {}", printable(changed), error.what()));
    }
  }
  return cases;
}

int step(const StepCommand& options, Streams streams) {
  check_one_standard_output({&options.timeline, &options.json});
  OptionalOutput file("$json", options.json, kJsonFile, streams.out);
  OptionalOutput timeline("$timeline", options.timeline, kJsonFile, streams.out);
  const std::string text = read_file(options.file, kStepFile);
  const bool trace = is_chakra(text);
  check_options(options, trace);
  std::vector<std::vector<LayoutAxis>> layouts{{}};
  if (options.layout && !trace && !is_simai_workload(text)) {
    layouts = combinations_of(options.layout->value, text, options.file);
  }
  std::optional<RunWatch> watch(std::in_place, "simulating", streams.messages);
  if (layouts.size() > 1 || !options.versus.empty()) {
    if (const std::string_view option = option_of_steps(options); !option.empty()) {
      throw UserError(
          layouts.size() > 1
              ? fmt::format("{} with $layout '{}': needs one layout; give one size for each axis, "
                            "or leave out one of the two options",
                            option, options.layout->text)
              : fmt::format("{} with $versus: needs one machine; leave out one of the two options",
                            option));
    }
    std::vector<std::string> faults;
    const LayoutComparison comparison =
        compare_layouts(cases_of(options, text, layouts, streams, faults));
    watch.reset();
    file.write([&](std::ostream& out) { write_document(kLayoutsDocument, comparison, 2, out); });
    if (options.json != "-") {
      print_layouts(comparison, streams.out);
    }
    return report_faults(faults, streams);
  }
  const StepRequest request{options.what_if, options.streams || options.timeline ? kShownRanks : 0,
                            options.explain};
  StepAnswer answer =
      answer_of_file(options, text, layouts.front(), request, machines_of(options, streams));
  if (options.what_if) {
    answer.changes = changes_of(answer);
  }
  watch.reset();
  write_together({{file, [&](std::ostream& out) { write_document(kStepDocument, answer, 2, out); }},
                  {timeline, [&](std::ostream& out) { write_step_timeline(answer, out); }}});
  if (options.json != "-" && options.timeline != "-") {
    print_step(answer, streams.out);
    if (options.timeline) {
      streams.out << fmt::format(
          "\nTimeline of {} written to {}; open it in https://ui.perfetto.dev\n",
          counted(answer.streams.size(), "rank"), printable(*options.timeline));
    }
  }
  std::vector<std::string> faults;
  check_engines(answer, faults);
  return report_faults(faults, streams);
}

void add_options(Command& command, StepCommand& options) {
  options.command = &command;
  command
      .add_option("file", options.file,
                  "Description of the step: the layout of the ranks, and what each rank computes "
                  "and communicates, in order; a workload of SimAI; or the trace of a rank "
                  "in Chakra's form")
      .type_name("FILE")
      .required();
  options.problem.add_plain_to(command, Values::one);
  command.option("--ranks").description(
      "Number of ranks, unless the description says it: the size of the axis without a size "
      "follows from it");
  command.remove_option("--bytes");
  options.problem.add_ranks_per_host(OptionGroup(command, kRanksPerHostGroup));
  options.machine.add_to(command, true);
  options.gpus.add_to(command);
  OptionGroup files(command, kRulesGroup);
  files.add(
      "--algorithm", options.algorithms, "RULES",
      "Which algorithms run: a collective or all, 'on' and a group if the rule is for one, and "
      "'by nccl', 'by best' or an algorithm, such as \"allreduce on dp ring; all by best\"");
  OptionGroup(command, "Step")
      .add(
          "--trace-sizes", options.trace_sizes, "WORD",
          "Meaning of comm_size for an allgather and a gather in traces of Chakra: input, the data "
          "of a rank, as PyTorch's converter writes it; whole, the data of all ranks [input]",
          AsWord<trace_sizes>());
  command.add_flag("--every-iteration", options.every_iteration,
                   "Simulate every iteration of a repeat, and every micro-batch. Otherwise, "
                   "iterations that repeat are multiplied; the result is the same up to rounding, "
                   "unless the order of simultaneous messages decides");
  OptionGroup comparison(command, "Comparison");
  comparison.flag(
      "--what-if", options.what_if,
      "Also simulate the step with changes: collectives that take no time, at their limits, with "
      "their next best algorithms or not beside computing, and faster links");
  comparison.add(
      "--layout", options.layout, "SIZES",
      "Other sizes of axes, such as tp=1..8*2,pp=2,4: with several sizes, compares the layouts "
      "of all combinations",
      parse_axis_sizes);
  comparison
      .add("--versus", options.versus, "OPTIONS",
           "Also simulate with these options of the machine, in quotes, in place of those given, "
           "such as '--placement cyclic' or '--platform taper.xml'; repeat the option for more "
           "machines")
      .one_at_a_time();
  comparison.flag("--explain", options.explain,
                  "Also show which groups slow each other, and on which links (engine flow)");
  OptionGroup output(command, "Output");
  output.flag(
      "--streams", options.streams,
      "Put into the JSON what the streams of some ranks do, and when, for pictures; simulates "
      "every iteration");
  output.add("--timeline", options.timeline, kWrittenFile,
             "Write what the streams of each rank do, or of some ranks if there are many, as trace "
             "events, for https://ui.perfetto.dev");
  add_json_option(command, options.json, "all results");
}

}  // namespace

Action add_step(Command& app, Streams streams) {
  Command& command = app.add_command(
      "step", "Simulate a training step: computing, and collectives of several groups beside it");
  auto options = std::make_shared<StepCommand>();
  add_options(command, *options);
  command.add_examples({"tutti step examples/steps/fsdp.step -p 16 --gpu h100",
                        "tutti step examples/steps/tensor_parallel.step -p 32 --gpu b200",
                        "tutti step examples/steps/tensor_parallel.step -p 16 --platform "
                        "platforms/torus_64.xml --json step.json"});
  return [options, streams] { return step(*options, streams); };
}

}}  // namespace tutti::commands
