// tutti show: prints a schedule as text, graph, JSON or statistics, or draws a picture of it.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/picture_file.hpp"
#include "src/commands/shared_options.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/rank_graph.hpp"
#include "src/output/schedule_export.hpp"
#include "src/output/schedule_state.hpp"
#include "src/output/schedule_stats.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/document.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/requests/simulation_input.hpp"
#include "src/simulation/best_segment.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/rank_groups.hpp"

namespace tutti { inline namespace commands {

namespace {

struct BlockOfRank {
  std::uint32_t rank = 0;
  std::uint32_t block = 0;
};

struct ShowOptions {
  std::string algorithm;
  ProblemOptions problem;
  MachineOptions machine;
  std::optional<std::string> format;
  std::optional<ValueWithText<std::optional<std::uint32_t>>> state;  // a rank, or all
  std::optional<ValueWithText<BlockOfRank>> sum;
  std::optional<ValueWithText<BlockOfRank>> sum_tree;
  std::optional<std::string> picture;  // paths of files
  JsonPath json;
  std::string output = "-";
};

std::vector<std::string> shown_formats() {
  return {"notation", "document", "dot",       "graphml",   "json",
          "stats",    "ranks",    "ranks-csv", "ranks-dot", "ranks-graphml"};
}

// A rank, or `all`.
std::optional<std::uint32_t> parse_rank(std::string_view from, const std::string& text) {
  return text == "all" ? std::nullopt : std::optional(parse_count(from, text));
}

BlockOfRank parse_block(std::string_view from, const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw UserError(fmt::format("{} '{}': write RANK,BLOCK, such as 0,2", from, text));
  }
  return {parse_count(from, text.substr(0, comma)), parse_count(from, text.substr(comma + 1))};
}

// The schedule to show, and its algorithm. If the user gives a schedule file, the header of this
// file names the algorithm.
struct ShownSchedule {
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<ProgramFile> program;
  const Algorithm* algorithm = nullptr;
  std::unique_ptr<Schedule> made;
  Machine machine;

  [[nodiscard]] const Schedule& schedule() const { return file ? file->schedule : *made; }
  // Returns the name of the algorithm for the header of the printed schedule: a single word,
  // without the values of a program's parameters.
  [[nodiscard]] std::string_view header_name() const {
    return program ? std::string_view(program->program.algorithm()) : algorithm->name;
  }
};

ShownSchedule shown_schedule(const ShowOptions& options, Streams streams) {
  ShownSchedule subject;
  const OpenedMachine machine = options.machine.open(streams.messages);
  const std::uint32_t per_host = options.problem.ranks_per_host_count();
  if (means_file(options.algorithm)) {
    auto read = read_notation_file(options.algorithm, options.problem);
    subject.file = std::move(read.schedule);
    subject.program = std::move(read.program);
  }
  if (subject.file) {
    subject.algorithm = &subject.file->algorithm;
    const Problem problem = problem_of(*subject.file, options.problem);
    subject.machine = machine_for(problem, per_host, machine);
    return subject;
  }
  subject.algorithm =
      subject.program ? &subject.program->algorithm : &algorithm_named(options.algorithm);
  Problem problem = parse_problem(options.problem, *subject.algorithm, true);
  subject.machine = machine.machine(problem.ranks, per_host, problem.element_bytes);
  place_groups(subject.machine, problem);
  if (const auto best =
          take_best_segment(options.problem, *subject.algorithm, subject.machine, problem)) {
    streams.messages.warning(fmt::format("$segment auto: {}", best->in_words()));
  }
  subject.made = std::make_unique<Schedule>(make_schedule(*subject.algorithm, problem));
  return subject;
}

// An option that shows data instead of operations: --state shows the blocks after each round; --sum
// and --sum-tree show how one block of the result was combined.
struct Look {
  std::string_view field;
  std::string given;                  // "$sum '0,2'"
  std::optional<std::uint32_t> rank;  // no value: all ranks
  std::uint32_t block = 0;
};

std::optional<Look> look_of(const ShowOptions& options) {
  std::optional<Look> look;
  const auto add = [&look](std::string_view field, const std::string& text,
                           std::optional<std::uint32_t> rank, std::uint32_t block) {
    std::string given = fmt::format("{} '{}'", field, text);
    if (look) {
      throw UserError(
          fmt::format("{}: {} shows something else; give only one", given, look->field));
    }
    look = {field, std::move(given), rank, block};
  };
  if (const auto& state = options.state) {
    add("$state", state->text, state->value, 0);
  }
  if (const auto& sum = options.sum) {
    add("$sum", sum->text, sum->value.rank, sum->value.block);
  }
  if (const auto& sum = options.sum_tree) {
    add("$sum_tree", sum->text, sum->value.rank, sum->value.block);
  }
  if (look && options.format && (!options.sum_tree || options.format != "dot")) {
    throw UserError(fmt::format("$format '{}': {} prints text{}; leave $format out",
                                *options.format, look->field, options.sum_tree ? ", or dot" : ""));
  }
  return look;
}

// Throws UserError unless the index is below `end`. `things` is "ranks" or "blocks", for the error
// message.
void check_index(const Look& look, std::uint32_t index, std::uint32_t end, const char* things) {
  if (index >= end) {
    throw UserError(
        end == 1
            ? fmt::format("{}: must be 0, because the number of {} is 1", look.given, things)
            : fmt::format("{}: there are {} {}, from 0 to {}", look.given, end, things, end - 1));
  }
}

void print_look(const Look& look, const Schedule& schedule, const std::string& full_name, bool dot,
                std::ostream& out) {
  if (schedule.problem().collective == Collective::barrier) {
    throw UserError(fmt::format("{}: a barrier moves no data; leave this option out", look.given));
  }
  if (look.rank) {
    check_index(look, *look.rank, schedule.ranks(), "ranks");
  }
  if (look.field == "$state") {
    print_states(schedule, full_name, look.rank, out);
    return;
  }
  check_index(look, look.block, schedule.blocks(), "blocks");
  const auto print = look.field == "$sum" ? print_sum : dot ? write_sum_tree_dot : print_sum_tree;
  if (!print(schedule, full_name, *look.rank, look.block, out)) {
    throw UserError(fmt::format("{}: rank {} holds nothing in block {} at the end", look.given,
                                *look.rank, look.block));
  }
}

// Throws UserError if the user gave an option of the machine. Such options affect only times, but
// the output contains no times. Without this check, the options would be silently ignored. `looks`:
// true if the output is that of --state, --sum or --sum-tree.
void refuse_machine_options(const Command& command, const ShowOptions& options,
                            const std::string& format, bool looks) {
  // Pictures of schedules show steps, which depend on the number of ports.
  const bool takes_ports = !looks && (options.picture || format == "json");
  for (const CommandOption& option : command.options()) {
    const bool of_machine = option.group() == kMachineGroup || option.group() == kPricesGroup;
    if (!of_machine || option.texts().empty() || (takes_ports && option.name() == "--ports")) {
      continue;
    }
    throw UserError(
        looks ? fmt::format("{}: has no effect on $state, $sum and $sum_tree; leave the option out",
                            option.given())
              : fmt::format("{}: only the statistics of a schedule ($format stats) depend on the "
                            "machine; leave the option out",
                            option.given()));
  }
}

// Opens the file of --picture. Returns null if the option is not given. Must be called before any
// long work, so that an error is reported at once.
std::unique_ptr<PictureFile> picture_file(const ShowOptions& options,
                                          const std::optional<Look>& look, Streams streams) {
  if (!options.picture) {
    return nullptr;
  }
  if (options.format || look) {
    throw UserError(fmt::format("$picture '{}': {} shows something else; give only one",
                                *options.picture, options.format ? "$format" : look->field));
  }
  if (options.output != "-") {
    throw UserError(fmt::format("$picture '{}': the picture goes to this file; leave out -o '{}'",
                                *options.picture, options.output));
  }
  return std::make_unique<PictureFile>("$picture", *options.picture, streams);
}

// Throws UserError if --json is given together with --state, --sum, --sum-tree, --picture, or a
// format that is already machine-readable.
void check_json(const ShowOptions& options, const std::string& format,
                const std::optional<Look>& look) {
  if (!options.json) {
    return;
  }
  const auto refuse = [&](std::string_view other, const std::string& why) {
    throw UserError(
        fmt::format("$json '{}': {} {}; leave out one of the two", *options.json, other, why));
  };
  if (look) {
    refuse(look->field, "prints text");
  } else if (options.picture) {
    refuse("$picture", "shows something else");
  } else if (format != "notation" && format != "document" && format != "stats" &&
             format != "ranks") {
    refuse("$format " + format, "is already machine-readable");
  }
}

void write_json(const ShownSchedule& subject, const std::string& format,
                const std::optional<ScheduleTimes>& times, std::optional<std::uint32_t> ports,
                const std::string& path, Streams streams) {
  OutputFile file(path, streams.out);
  const Algorithm& algorithm = *subject.algorithm;
  if (times) {
    write_stats_json(subject.schedule(), algorithm, subject.machine, *times, file.stream());
  } else if (format == "ranks") {
    const RanksAnswer answer{subject.schedule(), algorithm.name};
    write_document(kRanksDocument, answer, 2, file.stream());
  } else {
    write_schedule_json(subject.schedule(), algorithm.name, file.stream(), ports);
  }
  file.commit();
}

// Returns what --output contains if the format is `format`.
FileKind kind_of_output(const std::string& format) {
  if (format.ends_with("dot")) {
    return {"a graph as DOT", {".dot", ".gv"}};
  }
  if (format.ends_with("graphml")) {
    return {"a graph as GraphML", {".graphml", ".xml"}};
  }
  if (format == "json") {
    return kJsonFile;
  }
  if (format == "ranks-csv") {
    return kCsvFile;
  }
  const bool schedule = format == "notation" || format == "document";
  return schedule ? FileKind{"a schedule in tutti's notation", {".tutti", ".sched", ".txt"}}
                  : FileKind{"text", {".txt"}};
}

// Returns the number of ports that the user gave for a picture; nothing without --ports.
std::optional<std::uint32_t> ports_of(const ShowOptions& options) {
  if (!options.machine.ports) {
    return std::nullopt;
  }
  const std::uint32_t ports = *options.machine.ports;
  return ports == kUnlimitedPorts ? std::numeric_limits<std::uint32_t>::max() : ports;
}

void draw(const Schedule& schedule, const Algorithm& algorithm, const ShowOptions& options,
          PictureFile& file) {
  std::ostringstream json;
  write_schedule_json(schedule, algorithm.name, json, ports_of(options));
  const Document document = parse_document(json.str(), options.algorithm);
  file.write(round_diagram(document.json), "show " + options.algorithm);
}

int show(const ShowOptions& options, const Command& command, Streams streams) {
  const std::string format = options.format.value_or("notation");
  const std::optional<Look> look = look_of(options);
  const auto picture = picture_file(options, look, streams);
  check_json(options, format, look);
  if (options.json) {
    check_ending("$json", *options.json, kJsonFile);
  }
  if (!look) {
    check_ending("$output", options.output, kind_of_output(format));
  }
  if (format != "stats" && !options.problem.wants_best_segment()) {
    refuse_machine_options(command, options, format, look.has_value());
  }
  const ShownSchedule subject = shown_schedule(options, streams);
  const Algorithm& algorithm = *subject.algorithm;
  const Schedule& schedule = subject.schedule();
  if (picture) {
    draw(schedule, algorithm, options, *picture);
    return kExitOk;
  }
  const auto times = format == "stats"
                         ? std::optional(times_of(schedule, algorithm, subject.machine))
                         : std::nullopt;
  if (options.json) {
    write_json(subject, format, times, ports_of(options), *options.json, streams);
    if (options.json == "-" && options.output == "-") {
      return kExitOk;
    }
  }
  OutputFile file(options.output, streams.out);
  if (look) {
    refuse_bytes_only(schedule, options.algorithm,
                      fmt::format("{} shows the data, which are unknown", look->given));
    print_look(*look, schedule, algorithm.full_name(), format == "dot", file.stream());
  } else if (format == "notation") {
    print_notation(schedule, subject.header_name(), file.stream());
  } else if (format == "document") {
    print_document(schedule, subject.header_name(), file.stream());
  } else if (format == "dot") {
    write_dot(schedule, algorithm.full_name(), file.stream());
  } else if (format == "graphml") {
    write_graphml(schedule, file.stream());
  } else if (format == "ranks") {
    print_ranks(schedule, algorithm.full_name(), file.stream());
  } else if (format == "ranks-csv") {
    write_ranks_csv(schedule, file.stream());
  } else if (format == "ranks-dot") {
    write_ranks_dot(schedule, algorithm.full_name(), file.stream());
  } else if (format == "ranks-graphml") {
    write_ranks_graphml(schedule, file.stream());
  } else if (format == "json") {
    write_schedule_json(schedule, algorithm.name, file.stream(), ports_of(options));
  } else {
    print_stats(schedule, algorithm, subject.machine, *times, file.stream());
  }
  file.commit();
  return kExitOk;
}

}  // namespace

Action add_show(Command& app, Streams streams) {
  Command& command =
      app.add_command("show", "Show one schedule: every operation, or its statistics");
  auto options = std::make_shared<ShowOptions>();
  command.add_option("algorithm", options->algorithm, kAlgorithmHelp).type_name("ALG").required();
  const OptionGroup output(command, "Output");
  output
      .add("--format", options->format, "NAME",
           "notation [default]: one line per operation; document: the same without blocks; dot: "
           "for Graphviz; graphml: for programs that analyse graphs; json; stats: messages, bytes, "
           "rounds, longest path; ranks: who sends to whom, with "
           "messages and bytes; ranks-csv: a matrix of these bytes; ranks-dot, ranks-graphml: a "
           "graph of who sends to whom",
           AsWord<shown_formats>())
      .usual();
  output
      .add("--json", options->json, kWrittenFile,
           "Write JSON: the schedule; the statistics, if --format is stats; or who sends to "
           "whom, if --format is ranks")
      .usual();
  output
      .add("--picture", options->picture, kWrittenFile,
           "Draw the schedule to FILE.svg, FILE.png, FILE.pdf or FILE.html, with ranks from left "
           "to right and rounds from top to bottom")
      .usual();
  const OptionGroup data(command, "State of the data, instead of the operations");
  data.add("--state", options->state, "RANK|all",
           "Show the contents of every block at the start and after each round, on one rank or all",
           parse_rank)
      .words({"all"})
      .usual();
  data.add("--sum", options->sum, "RANK,BLOCK",
           "Show the operands of a block of the result in the order in which they were combined, "
           "with brackets",
           parse_block);
  data.add("--sum-tree", options->sum_tree, "RANK,BLOCK",
           "Show the same as --sum, as a tree; with --format dot, for Graphviz", parse_block);
  output.add("-o,--output", options->output, kWrittenFile, "File to write to [standard output]")
      .usual();
  options->problem.add_to(command, Values::one);
  options->machine.add_to(command, false);
  command.add_examples({"tutti show allreduce/ring -p 4 -n 64",
                        "tutti show allreduce/ring -p 5 -n 200 --state all",
                        "tutti show reduce_scatter/circulant -p 22 -n 176 --format ranks"});
  return [options, streams, &command] { return show(*options, command, streams); };
}

}}  // namespace tutti::commands
