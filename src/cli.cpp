#include "src/cli.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>

#include "schedules/error.hpp"
#include "schedules/registry.hpp"
#include "src/command.hpp"

namespace tutti {

namespace {

constexpr const char* kDescription =
    "tutti: how long collective communication takes, why, and whether the formula agrees";
constexpr const char* kFooter =
    "\nExamples:\n"
    "  tutti list allreduce\n"
    "  tutti simulate allreduce/ring -p 64 -n 1MiB\n"
    "  tutti show allreduce/ring -p 4 -n 32 --format notation\n"
    "\n'tutti COMMAND --help' tells more about each command.";

// What is wrong with the arguments, in one line. CLI11's own texts may name neither the value nor
// what would be accepted.
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
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  if (arguments.empty()) {
    throw UserError(fmt::format("no command given; there are {} ('tutti --help' explains them)",
                                fmt::join(names, ", ")));
  }
  const std::string& first = arguments.front();
  if (first.empty() || first.front() != '-') {
    if (std::find(names.begin(), names.end(), first) == names.end()) {
      std::string hint = suggestion(first, names);
      if (hint.empty()) {
        hint = fmt::format("; there are {}", fmt::join(names, ", "));
      }
      throw UserError(fmt::format("unknown command '{}'{}", first, hint));
    }
  }
}

// CLI11 takes prefixes of nothing, and treats what it does not know as extras.
std::string describe_extra(const CLI::App& command, const std::string& extra) {
  if (extra.size() > 1 && extra.front() == '-') {
    const std::string_view name = option_part(extra);
    std::string hint = suggestion(name, option_names(command));
    if (hint.empty()) {
      hint = fmt::format("; 'tutti {} --help' names all", command.get_name());
    }
    return fmt::format("unknown option '{}'{}", name, hint);
  }
  return fmt::format("'{}' is one argument too many for 'tutti {}'", extra, command.get_name());
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

const CLI::App& chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

int run_checked(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  CLI::App app(kDescription, "tutti");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("tutti " TUTTI_VERSION));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  const Streams streams{out, err};
  std::map<std::string, Action> actions;
  for (const auto add : {add_list, add_show, add_simulate}) {
    Action action = add(app, streams);
    actions[app.get_subcommands({}).back()->get_name()] = std::move(action);
  }
  check_command(app, arguments);

  // CLI11 wants the last argument first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked, out, err);
  } catch (const CLI::ExtrasError&) {
    const auto extras = chosen(app).remaining(true);
    const auto all = extras.empty() ? app.remaining(true) : extras;
    throw UserError(describe_extra(chosen(app), all.empty() ? "" : all.front()));
  } catch (const CLI::RequiredError& error) {
    throw UserError(fmt::format("'tutti {0}' needs {1}; see 'tutti {0} --help'",
                                chosen(app).get_name(), one_line(error.what())));
  } catch (const CLI::ParseError& error) {
    throw UserError(one_line(error.what()));
  }
  return actions.at(chosen(app).get_name())();
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    return run_checked(arguments, out, err);
  } catch (const UserError& error) {
    err << "tutti: " << one_line(error.what()) << '\n';
    return kExitBadInput;
  } catch (const std::bad_alloc&) {
    err << "tutti: out of memory; take fewer ranks or a larger machine\n";
    return kExitBadInput;
  } catch (const std::exception& error) {
    err << "tutti: internal error, please report it: " << one_line(error.what()) << '\n';
    return kExitInternal;
  }
}

}  // namespace tutti
