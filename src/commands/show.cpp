// tutti show: one schedule, as text, as a graph, as data, or in numbers.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "schedules/edge_kind.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "simulation/best_segment.hpp"
#include "simulation/machine.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/formats/output_file.hpp"
#include "src/report/schedule_export.hpp"
#include "src/report/schedule_stats.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/file_roles.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/requests/segment_auto.hpp"

namespace tutti {

namespace {

struct ShowOptions {
  std::string algorithm;
  ProblemOptions problem;
  MachineOptions machine;
  std::string format = "notation";
  std::string output = "-";
};

constexpr std::array<std::string_view, 4> kFormats{"notation", "dot", "json", "stats"};

// What the options ask for, and of which algorithm it is; of a schedule written out, what its
// header says.
struct Subject {
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<ProgramFile> program;
  const Algorithm* algorithm = nullptr;
  std::unique_ptr<Schedule> made;
  Machine machine;

  [[nodiscard]] const Schedule& schedule() const { return file ? file->schedule : *made; }
};

Subject subject_of(const ShowOptions& options, Streams streams) {
  Subject subject;
  const std::uint32_t per_host = options.problem.ranks_per_host_count();
  if (means_file(options.algorithm)) {
    auto read = read_notation_file(options.algorithm, options.problem);
    subject.file = std::move(read.schedule);
    subject.program = std::move(read.program);
  }
  if (subject.file) {
    subject.algorithm = &subject.file->algorithm;
    subject.machine = options.machine.machine(problem_of(*subject.file, options.problem), per_host);
    return subject;
  }
  subject.algorithm =
      subject.program ? &subject.program->algorithm : &algorithm_named(options.algorithm);
  Problem problem = parse_problem(options.problem, *subject.algorithm, true);
  subject.machine = options.machine.machine(problem, per_host);
  if (const auto best =
          take_best_segment(options.problem, *subject.algorithm, subject.machine, problem)) {
    streams.err << fmt::format("tutti: --segment auto: {}\n", best->in_words());
  }
  subject.made = std::make_unique<Schedule>(make_schedule(*subject.algorithm, problem));
  return subject;
}

// A schedule has no times: what only times depend on is refused, rather than passed over.
void refuse_machine_options(const ShowOptions& options) {
  const MachineOptions& machine = options.machine;
  const std::array<std::pair<std::string_view, const OptionText*>, 7> given{
      {{"--platform", &machine.platform},
       {"--ports", &machine.ports},
       {"--placement", &machine.placement},
       {"--alpha", &machine.alpha},
       {"--beta", &machine.beta},
       {"--gamma", &machine.gamma},
       {"--copy-cost", &machine.copy_cost}}};
  for (const auto& [name, text] : given) {
    if (*text) {
      throw UserError(
          fmt::format("{} '{}': there are no times in --format {}; leave it out, or take --format "
                      "stats",
                      name, **text, options.format));
    }
  }
}

int show(const ShowOptions& options, Streams streams) {
  if (std::find(kFormats.begin(), kFormats.end(), options.format) == kFormats.end()) {
    throw UserError(
        fmt::format("--format '{}': accepted is {}", options.format, fmt::join(kFormats, ", ")));
  }
  if (options.format != "stats" && !options.problem.wants_best_segment()) {
    refuse_machine_options(options);
  }
  const Subject subject = subject_of(options, streams);
  const Algorithm& algorithm = *subject.algorithm;
  const Schedule& schedule = subject.schedule();
  OutputFile file(options.output, streams.out);
  if (options.format == "notation") {
    print_notation(schedule, algorithm.name, file.stream());
  } else if (options.format == "dot") {
    write_dot(schedule, algorithm.full_name(), file.stream());
  } else if (options.format == "json") {
    write_schedule_json(schedule, algorithm.name, file.stream());
  } else {
    print_stats(schedule, algorithm, subject.machine, file.stream());
  }
  file.commit();
  return kExitOk;
}

}  // namespace

Action add_show(CLI::App& app, Streams streams) {
  CLI::App* command =
      app.add_subcommand("show", "One schedule: every operation, or its statistics");
  auto options = std::make_shared<ShowOptions>();
  command->add_option("algorithm", options->algorithm, kAlgorithmHelp)
      ->type_name("ALG")
      ->required();
  command
      ->add_option("--format", options->format,
                   "notation [default]: one line per operation; dot: for Graphviz; json; stats: "
                   "messages, bytes, rounds, longest path, distance from the lower bounds")
      ->type_name("NAME")
      ->group("Output");
  command->add_option("-o,--output", options->output, "Where to write [standard output]")
      ->type_name(kWrittenFile)
      ->group("Output");
  options->problem.add_to(*command);
  options->machine.add_to(*command, false);
  return [options, streams] { return show(*options, streams); };
}

}  // namespace tutti
