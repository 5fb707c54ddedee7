#include "src/requests/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/shell_word.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti::inline requests {

namespace {

std::string_view option_part(std::string_view argument) {
  return argument.substr(0, argument.find('='));
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const CommandOption& option : command.options()) {
    std::ranges::copy_if(option.names(), std::back_inserter(names),
                         [](const std::string& name) { return name.starts_with("--"); });
  }
  return names;
}

// Returns the end of an error message: the candidate that is most similar to `word`, or `otherwise`
// if none is similar.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       const std::string& otherwise) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? otherwise : fmt::format(": did you mean '{}'?", best);
}

std::string one_of(const std::vector<std::string>& names) {
  return fmt::format("; expected one of {}", fmt::join(names, ", "));
}

std::vector<std::string> command_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& each : command.commands()) {
    if (!each.is_hidden()) {
      names.push_back(each.name());
    }
  }
  return names;
}

// Throws UserError unless the first argument is one of the program's commands, or begins with a
// dash.
void check_command(const Command& program, const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = command_names(program);
  if (arguments.empty()) {
    throw UserError(fmt::format("no command given; expected one of {} ('{} --help' explains them)",
                                fmt::join(names, ", "), program.name()));
  }
  const std::string& first = arguments.front();
  const auto& commands = program.commands();
  if (!first.starts_with('-') &&
      std::ranges::find(commands, first, &Command::name) == commands.end()) {
    throw UserError(
        fmt::format("unknown command '{}'{}", first, suggestion(first, names, one_of(names))));
  }
}

std::string needs_value(const CommandOption& option) {
  return fmt::format("{} needs a value: {} ({})", option.name(), option.type_name(),
                     option.description());
}

// Throws UserError for an option with nothing after its equals sign. CLI11 would take the next
// word as its value.
void check_empty_values(const Command& program, const std::vector<std::string>& arguments) {
  const Command* command = &program;
  for (const std::string& word : arguments) {
    if (word == "--") {
      return;
    }
    const auto& inner = command->commands();
    if (const auto found = std::ranges::find(inner, word, &Command::name); found != inner.end()) {
      command = &*found;
    } else if (word.starts_with("--") && word.ends_with('=')) {
      const CommandOption* option = command->find_option(option_part(word));
      if (option != nullptr && !option->is_flag()) {
        throw UserError(needs_value(*option));
      }
    }
  }
}

// Returns a one-line error message for `extra`, an unknown word on the command line. CLI11's own
// message may neither name this word nor say which words are accepted.
std::string describe_extra(const Command& command, const std::string& extra) {
  if (extra.size() > 1 && extra.front() == '-') {
    const std::string_view name = option_part(extra);
    return fmt::format("unknown option '{}'{}", name,
                       suggestion(name, option_names(command),
                                  fmt::format("; '{} --help' lists all", command.full_name())));
  }
  const std::vector<std::string> kinds = command_names(command);
  if (command.parent() != nullptr && !kinds.empty()) {
    return fmt::format("unknown kind of {} '{}'{}", command.name(), extra,
                       suggestion(extra, kinds, one_of(kinds)));
  }
  const std::vector<std::string> names = option_names(command);
  const bool with = std::ranges::find(names, "--with") != names.end() && means_file(extra);
  return fmt::format(
      "unexpected argument '{}' for '{}'{}", extra, command.full_name(),
      with ? fmt::format("; to add a program, write --with {}", shell_path(extra)) : "");
}

// Parses the command line with CLI11. The constructor defines our commands and options in CLI11,
// with callbacks that store the values of the options.
class Parser {
 public:
  explicit Parser(Command& program) : app_(program.description(), program.name()) {
    add(program, app_);
  }

  // Returns the text to print if --help or --version was given, and nothing otherwise.
  std::optional<std::string> parse(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);  // CLI11 expects the last argument first
    try {
      app_.parse(arguments);
    } catch (const CLI::CallForVersion&) {
      return fmt::format("{}\n", pairs_.front().first->version());
    } catch (const CLI::Success&) {
      return help_text(chosen().first);
    } catch (const CLI::ExtrasError&) {
      const auto [command, app] = chosen();
      const std::vector<std::string> extras = app.remaining(true);
      const std::vector<std::string> all = extras.empty() ? app_.remaining(true) : extras;
      throw UserError(describe_extra(command, all.empty() ? "" : all.front()));
    } catch (const CLI::RequiredError&) {
      throw UserError(describe_missing());
    } catch (const CLI::ArgumentMismatch& error) {
      throw UserError(describe_mismatch(error.what()));
    } catch (const CLI::ParseError& error) {
      throw UserError(one_line(error.what()));
    }
    chosen();
    return std::nullopt;
  }

 private:
  void add(Command& command, CLI::App& app) {
    pairs_.emplace_back(&command, &app);
    app.set_help_flag();
    for (const CommandOption& option : command.options()) {
      add(option, app, command.version());
    }
    app.allow_extras(command.rest_usage().has_value());
    for (Command& each : command.commands()) {
      add(each, *app.add_subcommand(each.name(), each.description()));
    }
    if (!command.commands().empty()) {
      app.require_subcommand(command.needs_command() ? 1 : 0, 1);
    }
  }

  static void add(const CommandOption& option, CLI::App& app, const std::string& version) {
    const std::string names =
        option.is_positional() ? option.name() : fmt::format("{}", fmt::join(option.names(), ","));
    if (option.name() == "--help") {
      app.set_help_flag(names);
      return;
    }
    // A command may have an option of this name that takes a value.
    if (option.name() == "--version" && option.is_flag()) {
      app.set_version_flag(names, version);
      return;
    }
    if (option.is_flag()) {
      app.add_flag_callback(names, [&option] { option.store({}); })->disable_flag_override();
      return;
    }
    CLI::Option& added =
        *app.add_option(names, CLI::callback_t([&option](const CLI::results_t& values) {
                          option.store(values);
                          return true;
                        }));
    if (option.takes_many()) {
      added.expected(1, CLI::detail::expected_max_vector_size);
      added.allow_extra_args(!option.is_one_at_a_time());
    } else if (option.most_words() > 1) {
      added.expected(1, option.most_words());
    }
    if (const auto separator = option.delimiter()) {
      added.delimiter(*separator);
    }
    if (const auto separator = option.joined_by()) {
      added.multi_option_policy(CLI::MultiOptionPolicy::Join)->delimiter(*separator);
    }
    added.required(option.is_required());
  }

  // Marks the commands that were given, and returns the innermost of them.
  std::pair<const Command&, const CLI::App&> chosen() {
    std::pair<Command*, CLI::App*> deepest = pairs_.front();
    for (const auto& [command, app] : pairs_) {  // pairs_ lists a command before its subcommands
      if (app->parsed()) {
        command->choose(app->remaining());
        deepest = {command, app};
      }
    }
    return {*deepest.first, *deepest.second};
  }

  std::string describe_missing() {
    const auto [command, app] = chosen();
    if (command.parent() == nullptr && command.needs_command()) {
      const std::vector<std::string> extras = app.remaining();
      return extras.empty() ? fmt::format("no command given; see '{} --help'", command.name())
                            : describe_extra(command, extras.front());
    }
    for (const CommandOption& option : command.options()) {
      if (option.is_required() && app.get_option(option.name())->count() == 0) {
        return fmt::format("'{}' needs {}: {}", command.full_name(), option.type_name(),
                           option.description());
      }
    }
    return fmt::format("'{0}' needs more arguments; see '{0} --help'", command.full_name());
  }

  // Returns a one-line error message for an option with a wrong number of values. `text` is CLI11's
  // message, which begins with the option's name.
  std::string describe_mismatch(std::string_view text) {
    const auto [command, app] = chosen();
    const std::string name(text.substr(0, text.find_first_of(": ")));
    const CommandOption* option = command.find_option(name);
    if (option == nullptr) {
      return one_line(std::string(text));
    }
    if (option->is_flag()) {
      return fmt::format("{} takes no value", name);
    }
    const std::vector<std::string>& values = app.get_option(name)->results();
    if (values.size() > 1) {
      return fmt::format("{} was given {} times, as {}; give it once", name, values.size(),
                         fmt::join(values, " and "));
    }
    return needs_value(*option);
  }

  CLI::App app_;
  std::vector<std::pair<Command*, CLI::App*>> pairs_;
};

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return printable(shortened(text));
}

std::optional<std::string> parse_command_line(Command& program,
                                              const std::vector<std::string>& arguments) {
  if (!program.commands().empty()) {
    check_command(program, arguments);
  }
  check_empty_values(program, arguments);
  return Parser(program).parse(arguments);
}

}  // namespace tutti::inline requests
