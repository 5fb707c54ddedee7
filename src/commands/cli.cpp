#include "src/commands/cli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file_use.hpp"
#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/provenance.hpp"
#include "schedules/notation/notation_error.hpp"
#include "src/commands/command.hpp"
#include "src/experiments/sweep/shard.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/pager.hpp"
#include "src/formats/progress.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/problem_options.hpp"
#include "src/requests/written_schedules.hpp"
#include "src/workers/build_id.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr const char* kDescription =
    "tutti: how long collective communication takes, why, and whether the formula agrees";
// Adds the option --color to a command, to its subcommands, to their subcommands, and so on.
void add_colour(Command& command, std::optional<std::string>& text) {
  command
      .add_option("--color", text,
                  "Use colour and bold text: auto [default] (on a terminal, unless NO_COLOR is "
                  "set), always or never")
      .type_name("WHEN")
      .group("Output")
      .words({std::begin(kColourUses), std::end(kColourUses)});
  for (Command& each : command.commands()) {
    add_colour(each, text);
  }
}

void take_colour(const std::optional<std::string>& text) {
  if (!text) {
    return;
  }
  const auto use = colour_use_named(*text);
  if (!use) {
    const std::vector<std::string> words(std::begin(kColourUses), std::end(kColourUses));
    throw UserError(fmt::format("$color '{}': {}", *text, accepted_words(*text, words)));
  }
  use_colour(*use);
}

struct CommandEntry {
  std::string_view name;
  Action (*add)(Command& app, Streams streams);
};

// In the order in which help lists the commands.
constexpr CommandEntry kCommands[] = {{"compare", add_compare},
                                      {"decide", add_decide},
                                      {"doctor", add_doctor},
                                      {"choose", add_choose},
                                      {"lint", add_lint},
                                      {"list", add_list},
                                      {"platform", add_platform},
                                      {"plot", add_plot},
                                      {"nccl", add_nccl},
                                      {"query", add_query},
                                      {"report", add_report},
                                      {"score", add_score},
                                      {"search", add_search},
                                      {"show", add_show},
                                      {"simulate", add_simulate},
                                      {"step", add_step},
                                      {"jobs", add_jobs_command},
                                      {"convert", add_convert},
                                      {"explain", add_explain},
                                      {"bound", add_bound},
                                      {"validate", add_validate},
                                      {"fit", add_fit},
                                      {"verify", add_verify},
                                      {"worker", add_worker},
                                      {"help", add_help},
                                      {"completion", add_completion},
                                      {"man", add_man}};

// Returns true if the first argument names a command that does not describe the other commands.
// Then the command line needs only the commands that its arguments mention. To set up all commands
// takes longer than most commands run.
bool needs_only_mentioned(const std::vector<std::string>& arguments) {
  return !arguments.empty() && arguments.front() != "man" && arguments.front() != "help" &&
         std::ranges::find(kCommands, arguments.front(), &CommandEntry::name) !=
             std::end(kCommands);
}

// Returns true if an argument contains the name. The name can be a part of an argument, because the
// parser splits some arguments.
bool mentions(const std::vector<std::string>& arguments, std::string_view name) {
  return std::ranges::any_of(arguments, [name](const std::string& argument) {
    return argument.find(name) != std::string::npos;
  });
}

constexpr const char* kNoThread =
    "cannot start a thread: a limit on processes (ulimit -u) or memory (ulimit -v) is reached; "
    "raise it";

void report_internal(const std::exception& error, Messages& messages) {
  messages.error(std::string("internal error, please report it: ") + error.what());
}

// Splits the text at its first line end.
void report_interrupt(const std::string& text, Messages& messages) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  messages.error("interrupted" + text.substr(0, line),
                 line == text.size() ? "" : text.substr(line + 1) + "\n");
}

}  // namespace

void report_notes(const std::vector<std::string>& notes, Messages& messages) {
  constexpr std::size_t kMostShown = 4;
  const std::size_t shown = std::min(notes.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) {
    messages.note(notes[i]);
  }
  if (shown < notes.size()) {
    messages.note("and " + counted(notes.size() - shown, "more note"));
  }
}

bool wrote_json(const std::optional<std::string>& path, const nlohmann::ordered_json& json,
                Streams streams) {
  OptionalOutput("$json", path, kJsonFile, streams.out).write([&](std::ostream& out) {
    write_document(json, 2, out);
  });
  return path == "-";
}

namespace {

int run_command_among(const std::vector<std::string>& arguments, Streams streams,
                      bool only_mentioned) {
  Command app("tutti", kDescription);
  app.add_version("-V,--version", fmt::format("tutti {}", version_and_build()));
  std::map<std::string, Action> actions;
  for (const CommandEntry& entry : kCommands) {
    if (!only_mentioned || mentions(arguments, entry.name)) {
      Action action = entry.add(app, streams);
      TUTTI_INVARIANT(app.commands().back().name() == entry.name);
      actions[app.commands().back().name()] = std::move(action);
    }
  }
  app.add_examples({"tutti list allreduce", "tutti compare allreduce -p 4,16,64 -n 1K..16MiB*4",
                    "tutti simulate allreduce/ring -p 64 -n 1MiB"});
  app.add_note(
      "'tutti COMMAND --help' shows the usual options of a command, and 'tutti COMMAND --help all' "
      "all of them.");
  std::optional<std::string> colour;
  add_colour(app, colour);
  if (!arguments.empty() && arguments.front() == "__complete") {
    for (const std::string& candidate :
         completions(app, {arguments.begin() + 1, arguments.end()})) {
      streams.out << candidate << '\n';
    }
    return kExitOk;
  }
  // If the user asks for help or for the version, parse_words() returns the text to print.
  std::optional<std::string> text;
  try {
    text = parse_words(app, arguments);
  } catch (const UserError&) {
    if (!only_mentioned) {
      throw;
    }
    // With all commands, the message can say which of them has an unknown option.
    return run_command_among(arguments, streams, false);
  }
  if (text) {
    streams.out << *text;
    return kExitOk;
  }
  app.read_values();
  take_colour(colour);
  const auto chosen = std::ranges::find_if(app.commands(), &Command::chosen);
  if (streams.messages.progress() != nullptr && chosen->name() != "worker") {
    // Set once: another thread may print the name while a command runs a second one.
    static const std::string name(chosen->name());
    name_running_command(name.c_str());
  }
  return actions.at(chosen->name())();
}

}  // namespace

int run_command(const std::vector<std::string>& arguments, Streams streams) {
  return run_command_among(arguments, streams, needs_only_mentioned(arguments));
}

int run(const std::vector<std::string>& arguments, Streams streams) {
  Messages& messages = streams.messages;
  forget_files();
  begin_provenance(fmt::format("tutti {}", version_and_build()), arguments,
                   streams.temporary_files);
  const struct EndOfCommand {
    ~EndOfCommand() { end_provenance(); }
  } end_of_command;
  try {
    const int code = run_command(arguments, streams);
    wait_for_end_if_interrupted();
    if (!streams.out.flush()) {
      throw UserError(
          "cannot write all of standard output; redirect it to a place with enough free space");
    }
    return code;
  } catch (const InterruptSignal& end) {
    report_interrupt(end.text, messages);
    return exit_code_of_signal(end.signal);
  } catch (const ShardEnd& done) {
    messages.add(
        {done.exit_code == kExitOk ? MessageKind::status : MessageKind::error, done.text, ""});
    return done.exit_code;
  } catch (const WrongSchedule& wrong) {
    messages.error(wrong.text);
    return kExitCheckFailed;
  } catch (const NotationError& error) {
    wait_for_end_if_interrupted();
    messages.error(error.what(), error.excerpt());
    return kExitBadInput;
  } catch (const UserError& error) {
    wait_for_end_if_interrupted();
    messages.error(error.what());
    return kExitBadInput;
  } catch (const std::bad_alloc&) {
    wait_for_end_if_interrupted();
    messages.error(kNoMemory);
    return kExitBadInput;
  } catch (const std::system_error& error) {
    wait_for_end_if_interrupted();
    if (error.code() != std::errc::resource_unavailable_try_again) {
      report_internal(error, messages);
      return kExitInternal;
    }
    messages.error(kNoThread);
    return kExitBadInput;
  } catch (const std::exception& error) {
    wait_for_end_if_interrupted();
    report_internal(error, messages);
    return kExitInternal;
  }
}

}}  // namespace tutti::commands
