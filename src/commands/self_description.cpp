// tutti man, tutti help: what the command line is, for man and for people. Made from the command
// line itself, so that neither can fall behind.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/requests/command_help.hpp"

namespace tutti {

namespace {

bool is_positional(const CLI::Option& option) {
  return option.get_lnames().empty() && option.get_snames().empty();
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  return names;
}

// Visits `command` and all below it, with "platform torus" as name.
template <typename Visit>
void for_each_command(const CLI::App& app, const std::string& prefix, Visit&& visit) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) {
      continue;
    }
    const std::string name = prefix + command->get_name();
    visit(*command, name);
    for_each_command(*command, name + " ", visit);
  }
}

// Text for man: a dash is a dash, and no line begins with a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += "\\&";
      escaped += c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void print_options(const CLI::App& command, std::ostream& out) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string names = fmt::format("{}", fmt::join(names_of(*option), ", "));
    if (is_positional(*option)) {
      out << fmt::format(".TP\n.I {}\n", roff(option->get_type_name()));
    } else {
      const std::string type = option->get_type_name();
      out << fmt::format(".TP\n\\fB{}\\fR{}\n", roff(names),
                         type.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(type)));
    }
    out << roff(option->get_description()) << '\n';
  }
}

void print_man(const CLI::App& app, std::ostream& out) {
  out << fmt::format(".TH TUTTI 1 \"\" \"tutti {}\" \"User Commands\"\n", TUTTI_VERSION);
  out << ".SH NAME\n" << roff("tutti - simulator for schedules of collective communication\n");
  out << ".SH SYNOPSIS\n.B tutti\n.I COMMAND\n[\\fIOPTIONS\\fR]\n";
  out << ".SH DESCRIPTION\n"
      << roff(app.get_description()) << ".\n.PP\n"
      << roff(
             "Sizes are written 1000, 64K = 64KiB, 1MiB; lists 4,8,16, ranges 2..64, doublings "
             "8..16MiB*2.\n");
  out << ".SH COMMANDS\n";
  for_each_command(app, "", [&](const CLI::App& command, const std::string& name) {
    out << fmt::format(".SS tutti {}\n{}\n", roff(name), roff(command.get_description()));
    print_options(command, out);
    if (!command.get_footer().empty()) {
      out << ".PP\nExamples:\n.PP\n.nf\n" << roff(command.get_footer()) << "\n.fi\n";
    }
  });
  out << ".SH EXIT STATUS\n"
         ".TP\n0\nall is well\n"
         ".TP\n1\na check has failed: a schedule is wrong, a simulated time is off\n"
         ".TP\n2\nbad input; one line on standard error says what would be accepted\n"
         ".TP\n70\nan error of tutti's own; please report it\n"
         ".SH EXAMPLES\n.nf\n"
      << roff(app.get_footer()) << "\n"
      << ".fi\n";
}

}  // namespace

Action add_help(CLI::App& app, Streams streams) {
  CLI::App* command = app.add_subcommand("help", "What --help of a command says");
  auto words = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("command", *words, "A command, and its kind where it has kinds [all commands]")
      ->type_name("COMMAND");
  add_examples(*command, {"tutti help", "tutti help compare", "tutti help platform torus"});
  return [words, streams] {
    std::vector<std::string> asked = *words;
    asked.emplace_back("--help");
    return run(asked, streams.out, streams.err);
  };
}

Action add_man(CLI::App& app, Streams streams) {
  CLI::App* command = app.add_subcommand("man", "The manual page: tutti man | man -l -");
  add_examples(*command, {"tutti man | man -l -", "tutti man > tutti.1",
                          "tutti man | groff -man -Tutf8 | head -n 40"});
  return [&app, streams] {
    print_man(app, streams.out);
    return kExitOk;
  };
}

}  // namespace tutti
