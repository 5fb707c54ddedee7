#include "src/mpi/run.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <numeric>

#include "schedules/error.hpp"
#include "schedules/registry.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/measure.hpp"
#include "sim/mpi/merged_timeline.hpp"
#include "sim/mpi/mpi_error.hpp"
#include "sim/mpi/plan/admission.hpp"
#include "src/cli.hpp"
#include "src/human.hpp"
#include "src/output_file.hpp"
#include "src/quantities.hpp"
#include "src/schedule_file.hpp"
#include "src/timeline_json.hpp"

namespace tutti::mpi {

namespace {

constexpr std::array<std::string_view, 4> kChecks{"none", "library", "replay", "full"};

// The schedule to run, from a file or from an algorithm of the registry.
struct Subject {
  std::unique_ptr<ScheduleFile> file;
  const Algorithm* algorithm = nullptr;
  std::optional<Schedule> made;

  [[nodiscard]] const Schedule& schedule() const { return file ? file->schedule : *made; }
};

Subject subject_of(RunOptions& options, const Element& element, const World& world) {
  ProblemOptions& wanted = options.problem;
  if (wanted.ranks && parse_count("-p/--ranks", *wanted.ranks) != world.ranks()) {
    throw UserError(fmt::format("-p/--ranks '{}': mpirun started {}; leave the option out",
                                *wanted.ranks, counted(world.ranks(), "rank")));
  }
  wanted.ranks = std::to_string(world.ranks());
  Subject subject;
  if (means_file(options.algorithm)) {
    subject.file = read_schedule_file(options.algorithm);
    subject.algorithm = &subject.file->algorithm;
    const Problem problem = problem_of(*subject.file, wanted);
    if (problem.element_bytes != element.bytes()) {
      throw UserError(
          fmt::format("'{}' is about elements of {} bytes, but --type {}{} makes them {}",
                      options.algorithm, problem.element_bytes, name(element.type),
                      element.op == Operator::matrix ? " --op matrix" : "", element.bytes()));
    }
    return subject;
  }
  subject.algorithm = &algorithm_named(options.algorithm);
  wanted.element_bytes = std::to_string(element.bytes());
  const Problem problem = wanted.problem(*subject.algorithm);
  subject.made = make_schedule(*subject.algorithm, problem);
  return subject;
}

std::uint32_t count_of(const char* name, const OptionText& text, std::uint32_t otherwise,
                       std::uint32_t least) {
  const std::uint32_t count = text ? parse_count(name, *text) : otherwise;
  if (count < least) {
    throw UserError(fmt::format("{} '{}': at least {} is needed", name, *text, least));
  }
  return count;
}

std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  mpi::check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string all(text.data(), static_cast<std::size_t>(length));
  // MPICH writes a page about how it was built; the second word of its first line is a tab.
  std::string line = all.substr(0, all.find_first_of(",\n"));
  std::replace(line.begin(), line.end(), '\t', ' ');
  while (!line.empty() && (line.back() == ' ' || line.back() == '\0')) {
    line.pop_back();
  }
  return line;
}

// The files of rank 0, opened before anything is run. Throws UserError on every rank.
struct Outputs {
  std::unique_ptr<OutputFile> timeline;
  std::unique_ptr<OutputFile> json;
};

Outputs open_outputs(const RunOptions& options, const World& world) {
  check_one_standard_output({&options.timeline, &options.json});
  Outputs outputs;
  std::string complaint;
  if (world.first()) {
    try {
      if (options.timeline) {
        outputs.timeline = std::make_unique<OutputFile>(*options.timeline, std::cout);
      }
      if (options.json) {
        outputs.json = std::make_unique<OutputFile>(*options.json, std::cout);
      }
    } catch (const UserError& error) {
      complaint = error.what();
    }
  }
  complaint = world.broadcast(complaint);
  if (!complaint.empty()) {
    throw UserError(complaint);
  }
  return outputs;
}

CheckKind check_kind(const RunOptions& options, const Schedule& schedule, std::string& note) {
  const auto* const at = std::find(kChecks.begin(), kChecks.end(), options.check);
  if (at == kChecks.end()) {
    throw UserError(
        fmt::format("--check '{}': accepted is {}", options.check, fmt::join(kChecks, ", ")));
  }
  auto kind = static_cast<CheckKind>(at - kChecks.begin());
  if (schedule.problem().collective == Collective::barrier) {
    note = "a barrier has no data; that no rank leaves too early is what the proof shows";
    return CheckKind::none;
  }
  // All ranks must come to one answer, so the limit is one that every machine meets.
  constexpr double kReplayBytes = 2147483648.0;
  const auto needed = static_cast<double>(serial_replay_bytes(schedule));
  if (kind == CheckKind::full && needed > kReplayBytes) {
    kind = CheckKind::library;
    note = fmt::format("; without the serial replay, which would take {} on one rank",
                       human_bytes(static_cast<std::uint64_t>(needed)));
  }
  return kind;
}

}  // namespace

void RunOptions::add_to(CLI::App& command) {
  command
      .add_option("algorithm", algorithm,
                  "collective/algorithm, such as allreduce/ring, or a file in the notation")
      ->type_name("ALG")
      ->required();
  problem.add_to(command);
  // An element has the size of its type, and ranks are where mpirun puts them.
  command.remove_option(command.get_option("--elem-bytes"));
  command.remove_option(command.get_option("--ranks-per-host"));
  constexpr const char* kData = "Data";
  command.add_option("--type", type, "int32, int64 [default], float or double")
      ->type_name("NAME")
      ->group(kData);
  command
      .add_option("--op", op,
                  "sum [default], prod, max, min, band, bor, bxor, or matrix: the product of 2x2 "
                  "integer matrices, which does not commute")
      ->type_name("NAME")
      ->group(kData);
  constexpr const char* kRun = "How to run";
  command.add_option("--iterations", iterations, "Measured runs [1]")
      ->type_name("COUNT")
      ->group(kRun);
  command.add_option("--warmup", warmup, "Runs before them that are not counted [0]")
      ->type_name("COUNT")
      ->group(kRun);
  command
      .add_option("--timeout", timeout,
                  "End the job when nothing happens for so long, and say what was not done [60s]")
      ->type_name("TIME")
      ->group(kRun);
  command
      .add_option("--check", check,
                  "Compare every byte with the MPI library's own collective (library), with a "
                  "serial replay (replay), with both (full) [default], or not at all (none)")
      ->type_name("NAME")
      ->group(kRun);
  command
      .add_flag("--against-library", against_library,
                "Time the library's own collective in turn with ours")
      ->group(kRun);
  command.add_option("--tags", tags, "Use no more than so many tags [as many as MPI has]")
      ->type_name("COUNT")
      ->group(kRun);
  constexpr const char* kOutput = "Output";
  command
      .add_option("--timeline", timeline,
                  "Write what happened when in the last run as trace events, all ranks on one "
                  "clock, for https://ui.perfetto.dev")
      ->type_name("FILE|-")
      ->group(kOutput);
  command.add_option("--json", json, "Write the result as JSON; - is standard output")
      ->type_name("FILE|-")
      ->group(kOutput);
}

double RunOptions::timeout_s() const {
  constexpr double kDefault = 60;
  const double seconds = timeout ? parse_time_s("--timeout", *timeout) : kDefault;
  if (seconds <= 0) {
    throw UserError(fmt::format("--timeout '{}': more than 0 s is needed", *timeout));
  }
  return seconds;
}

int run(RunOptions options, const World& world) {
  const Element element = element_named(options.type, options.op);
  RunReport report;
  report.iterations = count_of("--iterations", options.iterations, 1, 1);
  report.warmup = count_of("--warmup", options.warmup, 0, 0);
  const std::uint32_t tags = count_of("--tags", options.tags, 0, options.tags ? 1 : 0);
  const Subject subject = subject_of(options, element, world);
  const Schedule& schedule = subject.schedule();
  std::string note;
  const CheckKind kind = check_kind(options, schedule, note);
  const Outputs outputs = open_outputs(options, world);

  // One rank proves for all: the schedule is the same, and the proof takes time and memory.
  std::string refused;
  if (world.first()) {
    refused = refusal(schedule, element).value_or("");
  }
  refused = world.broadcast(refused);
  if (!refused.empty()) {
    const bool proof_failed = refused.front() != '-';  // otherwise it begins with the option
    if (!proof_failed) {
      throw UserError(fmt::format("{}: {}", subject.algorithm->full_name(), refused));
    }
    if (world.first()) {
      std::cerr << fmt::format("tutti-mpi: {}: {}\n", options.algorithm, refused);
    }
    return kExitCheckFailed;
  }

  const ElementHandles handles(element);
  std::unique_ptr<LibraryCollective> library;
  if (options.against_library) {
    library = std::make_unique<LibraryCollective>(schedule, world, handles);
  }
  Executor executor(schedule, world, handles, {options.timeline.has_value(), tags});
  const ByteCheck bytes(schedule, world, handles, kind);

  ClockReading before;
  if (options.timeline) {
    before = read_clocks(world);
  }
  const Measured measured =
      measure(executor, world, {report.warmup, report.iterations, library.get()});
  Timeline timeline;
  if (options.timeline) {
    const CommonClock clock(before, read_clocks(world));
    report.clock_error_s = world.first() ? clock.error_s() : 0;
    timeline = merged_timeline(schedule, world, executor, clock);
  }
  report.wrong = bytes.wrong_bytes(executor.work());
  const std::vector<double> compared =
      world.gather({kind == CheckKind::none ? 0.0 : static_cast<double>(bytes.bytes_compared())});
  // The one thing that the others must know of what rank 0 found.
  const bool wrong = !world.broadcast(report.wrong.empty() ? "" : "wrong").empty();
  if (!world.first()) {
    return wrong ? kExitCheckFailed : kExitOk;
  }

  report.algorithm = subject.algorithm;
  report.schedule = &schedule;
  report.element = element;
  report.library = library_name();
  report.placement = world.description();
  report.nodes = world.nodes();
  report.oversubscribed = world.oversubscribed();
  report.ours_s = measured.ours_s;
  report.library_s = measured.library_s;
  report.library_call = library ? library->call() : "";
  report.check = kChecks[static_cast<std::size_t>(kind)];
  report.bytes_compared =
      static_cast<std::uint64_t>(std::accumulate(compared.begin(), compared.end(), 0.0));
  if (kind == CheckKind::none) {
    report.check_note = note.empty() ? "none was asked for" : note;
  } else {
    const double bound = relative_bound(element, schedule.ranks());
    report.check_note =
        fmt::format("all {} bytes right: {}{}{}{}", report.bytes_compared,
                    kind == CheckKind::replay ? "" : "as of the MPI library's own collective",
                    kind != CheckKind::replay && reduces(schedule.problem().collective) && bound > 0
                        ? fmt::format(" (within {:.2g} of each)", bound)
                        : "",
                    kind == CheckKind::library ? ""
                    : kind == CheckKind::full  ? ", and to the bit as of a serial replay"
                                               : "to the bit as of a serial replay",
                    note);
  }
  for (const std::string& line : report.wrong) {
    std::cerr << fmt::format("tutti-mpi: wrong byte: {}\n", line);
  }
  if (outputs.timeline) {
    const std::string title =
        fmt::format("{} on {}, {}, real MPI", subject.algorithm->full_name(),
                    counted(schedule.ranks(), "rank"), human_bytes(schedule.problem().bytes));
    write_timeline_json(schedule, timeline, title, outputs.timeline->stream());
    outputs.timeline->commit();
  }
  if (outputs.json) {
    write_report_json(report, outputs.json->stream());
    outputs.json->commit();
  }
  if (options.json != "-" && options.timeline != "-") {
    print_report(report, std::cout);
    if (options.timeline) {
      std::cout << fmt::format(
          "  timeline  {}; one clock for all ranks, to {}{}\n", *options.timeline,
          human_time(report.clock_error_s),
          report.nodes == 1 ? " (the node's own)" : " (half the fastest ping-pong between nodes)");
    }
  }
  return wrong ? kExitCheckFailed : kExitOk;
}

}  // namespace tutti::mpi
