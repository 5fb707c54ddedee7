#include "src/requests/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"

namespace tutti {

namespace {

std::string_view option_part(std::string_view argument) {
  return argument.substr(0, argument.find('='));
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format(": did you mean '{}'?", best);
}

// Throws UserError unless the first argument names a command (or is an option of tutti itself).
void check_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  bool known = false;
  for (const CLI::App* command : app.get_subcommands({})) {
    known = known || (!arguments.empty() && command->get_name() == arguments.front());
    if (!command->get_group().empty()) {  // "worker" is for no user
      names.push_back(command->get_name());
    }
  }
  if (arguments.empty()) {
    throw UserError(fmt::format("no command given; there are {} ('{} --help' explains them)",
                                fmt::join(names, ", "), app.get_name()));
  }
  const std::string& first = arguments.front();
  if (first.empty() || first.front() != '-') {
    if (!known) {
      std::string hint = suggestion(first, names);
      if (hint.empty()) {
        hint = fmt::format("; there are {}", fmt::join(names, ", "));
      }
      throw UserError(fmt::format("unknown command '{}'{}", first, hint));
    }
  }
}

// "tutti platform torus"
std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr
             ? command.get_name()
             : fmt::format("{} {}", full_name(*command.get_parent()), command.get_name());
}

// What is wrong with the arguments, in one line: CLI11's own texts may name neither the value nor
// what would be accepted. What it does not know it calls extras.
std::string describe_extra(const CLI::App& command, const std::string& extra) {
  if (extra.size() > 1 && extra.front() == '-') {
    const std::string_view name = option_part(extra);
    std::string hint = suggestion(name, option_names(command));
    if (hint.empty()) {
      hint = fmt::format("; '{} --help' names all", full_name(command));
    }
    return fmt::format("unknown option '{}'{}", name, hint);
  }
  std::vector<std::string> kinds;
  for (const CLI::App* kind : command.get_subcommands({})) {
    kinds.push_back(kind->get_name());
  }
  if (command.get_parent() != nullptr && !kinds.empty()) {
    std::string hint = suggestion(extra, kinds);
    if (hint.empty()) {
      hint = fmt::format("; there are {}", fmt::join(kinds, ", "));
    }
    return fmt::format("unknown kind of {} '{}'{}", command.get_name(), extra, hint);
  }
  return fmt::format("'{}' is one argument too many for '{}'", extra, full_name(command));
}

// Something that must be there is not: a command, or a command's argument.
std::string describe_missing(const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  if (&command == &app) {
    const auto extras = app.remaining();
    return extras.empty() ? fmt::format("no command given; see '{} --help'", app.get_name())
                          : describe_extra(app, extras[0]);
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_required() && option->count() == 0) {
      return fmt::format("'{}' needs {}: {}", full_name(command), option->get_type_name(),
                         option->get_description());
    }
  }
  return fmt::format("'{0}' needs more arguments; see '{0} --help'", full_name(command));
}

// CLI11's text begins with the option's name.
std::string describe_mismatch(const CLI::App& command, std::string_view text) {
  const std::string name(text.substr(0, text.find(':')));
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) {
    return one_line(std::string(text));
  }
  const std::size_t values = option->results().size();
  if (values > 1) {
    return fmt::format("{} was given {} times, as {}; give it once", name, values,
                       fmt::join(option->results(), " and "));
  }
  return fmt::format("{} needs a value: {} ({})", name, option->get_type_name(),
                     option->get_description());
}

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return printable(shortened(text));
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : chosen_command(*commands.front());
}

void parse_command_line(CLI::App& app, const std::vector<std::string>& arguments) {
  check_command(app, arguments);
  // CLI11 wants the last argument first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ExtrasError&) {
    const auto extras = chosen_command(app).remaining(true);
    const auto all = extras.empty() ? app.remaining(true) : extras;
    throw UserError(describe_extra(chosen_command(app), all.empty() ? "" : all.front()));
  } catch (const CLI::RequiredError&) {
    throw UserError(describe_missing(app));
  } catch (const CLI::ArgumentMismatch& error) {
    throw UserError(describe_mismatch(chosen_command(app), error.what()));
  } catch (const CLI::ParseError& error) {
    throw UserError(one_line(error.what()));
  }
}

}  // namespace tutti
