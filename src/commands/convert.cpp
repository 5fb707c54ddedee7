// tutti convert: writes a schedule in the format of another tool, or reads one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "schedules/registry.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/schedule_formats.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/simulation_input.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace commands {

namespace {

struct ConvertOptions {
  std::string in;
  std::string out;
  const ScheduleFormat* format = nullptr;
  bool no_verify = false;
  ProblemOptions problem;
  MachineOptions machine;
};

std::vector<std::pair<std::string_view, const ScheduleFormat*>> written_formats() {
  std::vector<std::pair<std::string_view, const ScheduleFormat*>> formats;
  for (const ScheduleFormat& format : schedule_formats()) {
    formats.emplace_back(format.name, &format);
  }
  return formats;
}

// Returns the format that --to names, or else that of the file's ending.
const ScheduleFormat& format_of(const ConvertOptions& options) {
  const auto& formats = schedule_formats();
  if (options.format != nullptr) {
    return *options.format;
  }
  const auto found = std::ranges::find_if(formats, [&](const ScheduleFormat& format) {
    return std::ranges::any_of(format.endings, [&](std::string_view ending) {
      return without_gzip_ending(options.out).ends_with(ending);
    });
  });
  if (found == formats.end()) {
    std::vector<std::string_view> endings;
    for (const ScheduleFormat& format : formats) {
      endings.insert(endings.end(), format.endings.begin(), format.endings.end());
    }
    throw UserError(fmt::format("'{}': unknown format; end the name in {}, or give $to",
                                options.out, fmt::join(endings, ", ")));
  }
  return *found;
}

void write_ranks(const ConvertOptions& options,
                 const std::function<void(Rank, std::ostream&)>& write, std::uint32_t ranks,
                 Streams streams) {
  const std::filesystem::path path(options.out);
  if (options.out == "-" || path.extension().empty() || options.out.ends_with(kGzipEnding)) {
    throw UserError(
        fmt::format("'{}': this format has a file for each rank; give a name such as "
                    "ring.et, which becomes ring.0.et, ring.1.et and so on",
                    options.out));
  }
  std::vector<std::unique_ptr<OutputFile>> files;
  std::vector<OutputFile*> all;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::filesystem::path own = path;
    own.replace_extension(fmt::format(".{}{}", rank, path.extension().string()));
    files.push_back(std::make_unique<OutputFile>(own.string(), streams.out));
    write(rank, files.back()->stream());
    files.back()->finish();  // there may be more files than a process may have open
    all.push_back(files.back().get());
  }
  commit_together(all);
}

// Refuses options of the machine that change nothing in the file.
void refuse_what_means_nothing(const Command& command, const ScheduleFormat& format) {
  std::vector<std::string_view> without_effect{"--ports", "--alpha", "--beta", "--eager"};
  if (format.name != "goal" && format.name != "chakra") {  // these have times of calculations
    without_effect.insert(without_effect.end(), {"--gamma", "--copy-cost"});
  }
  for (const std::string_view name : without_effect) {
    const CommandOption& option = *command.find_option(name);
    if (!option.texts().empty()) {
      throw UserError(
          fmt::format("{}: it changes nothing in a file of the format {}; leave the option out",
                      option.given(), format.name));
    }
  }
}

int convert(const ConvertOptions& options, const Command& command, Streams streams) {
  const ScheduleFormat& format = format_of(options);
  refuse_what_means_nothing(command, format);
  SimulationInput input = simulation_input(
      options.in, options.problem, options.machine.open(streams.messages), options.no_verify);
  if (!proved(input, streams.messages)) {
    return kExitCheckFailed;
  }
  const Schedule made =
      input.file ? std::move(input.file->schedule) : make_schedule(*input.algorithm, input.problem);
  const WrittenSchedule written{
      made, name(input.algorithm->collective),
      input.program ? std::string_view(input.program->program.algorithm()) : input.algorithm->name,
      describe(input.machine).prices};
  if (format.write_ranks != nullptr) {
    write_ranks(options, format.write_ranks(written), made.ranks(), streams);
  } else {
    OutputFile file(options.out, streams.out);
    format.write(written, file.stream());
    file.commit();
  }
  if (input.file && input.file->in_place) {
    streams.messages.warning("written: the form with separate buffers; that in place is left out");
  }
  if (format.lost != nullptr) {
    if (const std::string lost = format.lost(written); !lost.empty()) {
      streams.messages.warning(lost);
    }
  }
  return kExitOk;
}

}  // namespace

Action add_convert(Command& app, Streams streams) {
  Command& command = app.add_command(
      "convert", "Convert a schedule between tutti's formats and those of other tools");
  auto options = std::make_shared<ConvertOptions>();
  command.add_option("in", options->in, kAlgorithmHelp).type_name("ALG").required();
  command
      .add_option("out", options->out,
                  "File to write; its ending tells the format: .tutti, .sched, .goal, .xml "
                  "(MSCCL), .et (Chakra: a file for each rank), .dot, .graphml or .json")
      .type_name(kWrittenFile)
      .required();
  OptionGroup(command, "Options")
      .add("--to", options->format, "FORMAT",
           "Format, whatever the ending of the file; document: the notation without blocks",
           AsWord<written_formats>())
      .usual();
  options->problem.add_to(command, Values::one);
  OptionGroup(command, "Problem").flag("--no-verify", options->no_verify, kNoVerifyHelp);
  options->machine.add_to(command, false);
  command.add_examples(
      {"tutti convert allreduce/ring ring.goal -p 8 -n 1MiB",
       "tutti convert allreduce/ring ring.xml -p 8 -n 1MiB",
       "tutti convert examples/schedules/bruck_allgather.sched bruck.json -p 5 -n 1000"});
  return [options, streams, &command] { return convert(*options, command, streams); };
}

}}  // namespace tutti::commands
