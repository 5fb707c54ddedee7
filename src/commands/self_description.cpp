// tutti completion, tutti man: what the command line is, for shells and for man. Made from the
// command line itself, so that neither can fall behind; all but kWords, which a test holds against
// what refusals say is accepted.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <utility>

#include "base/error.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"

namespace tutti {

namespace {

// Options whose values are words, beside those of algorithms. Where a number or a list is accepted
// too, that goes unsaid.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords{{
    {"--engine", "auto flow simgrid both critical-path"},
    {"--symmetry", "auto off on"},
    {"--network-model", "hockney lv08 smpi ib"},
    {"--placement", "block cyclic switch"},
    {"--ports", "1 unlimited"},
    {"--format", "notation dot json stats"},
}};

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

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) {
      names.push_back(command->get_name());
    }
  }
  return names;
}

// What may stand where an argument without a dash is wanted.
std::string positional_words(const CLI::App& command) {
  std::vector<std::string> words = command_names(command);
  for (const CLI::Option* option : command.get_options()) {
    if (!is_positional(*option)) {
      continue;
    }
    const std::string type = option->get_type_name();
    const bool takes_many = command.get_name() == "verify";
    if (takes_many) {
      words.emplace_back("all");
    }
    if (takes_many || type == "COLLECTIVE") {
      for (const Collective collective : kCollectives) {
        words.emplace_back(name(collective));
      }
    }
    if (type == "ALG") {
      for (const Algorithm* algorithm : algorithms()) {
        words.push_back(algorithm->full_name());
      }
    }
    if (type == "SHELL") {
      words.emplace_back("bash");
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string option_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (std::string& name : names_of(*option)) {
      words.push_back(std::move(name));
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
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

void print_bash(const CLI::App& app, std::ostream& out) {
  std::vector<std::string> files;
  for_each_command(app, "", [&](const CLI::App& command, const std::string&) {
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_type_name().find("FILE") != std::string::npos) {
        for (std::string& name : names_of(*option)) {
          files.push_back(std::move(name));
        }
      }
    }
  });
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());

  out << "# Completion of tutti for bash, written by 'tutti completion bash'.\n"
         "_tutti() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local words options\n"
         "  COMPREPLY=()\n"
         "  case $previous in\n";
  out << fmt::format(
      "    {})\n"
      "      mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "      return\n"
      "      ;;\n",
      fmt::join(files, " | "));
  for (const auto& [option, values] : kWords) {
    out << fmt::format("    {}) words='{}' ;;\n", option, values);
  }
  for (const OptionType* type : option_types()) {
    if (!type->words.empty()) {
      out << fmt::format("    {}) words='{}' ;;\n", type->flag, fmt::join(type->words, " "));
    }
  }
  out << "  esac\n"
         "  if [[ -z $words ]]; then\n"
         "    case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n";
  std::vector<std::string> cases;
  for_each_command(app, "", [&](const CLI::App& command, const std::string& name) {
    // "platform torus" is looked for before "platform".
    const bool nested = name.find(' ') != std::string::npos;
    const std::string pattern = nested ? fmt::format("'{}'", name) : fmt::format("'{} '*", name);
    cases.insert(nested ? cases.begin() : cases.end(),
                 fmt::format("      {}) words='{}' options='{}' ;;\n", pattern,
                             positional_words(command), option_words(command)));
  });
  for (const std::string& each : cases) {
    out << each;
  }
  out << "    esac\n"
         "    if ((COMP_CWORD == 1)); then\n";
  out << fmt::format("      words='{}' options='{}'\n", fmt::join(command_names(app), " "),
                     option_words(app));
  out << "    fi\n"
         "    [[ $current != -* ]] || words=$options\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -F _tutti tutti\n";
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
  });
  out << ".SH EXIT STATUS\n"
         ".TP\n0\nall is well\n"
         ".TP\n1\na check has failed: a schedule is wrong, a simulated time is off\n"
         ".TP\n2\nbad input; one line on standard error says what would be accepted\n"
         ".TP\n70\nan error of tutti's own; please report it\n"
         ".SH EXAMPLES\n.nf\n"
      << roff(
             "tutti list allreduce\n"
             "tutti simulate allreduce/ring -p 64 -n 1MiB --timeline ring.json\n"
             "tutti compare allreduce -p 4,16,64 -n 1K..16MiB*4\n")
      << ".fi\n";
}

}  // namespace

Action add_completion(CLI::App& app, Streams streams) {
  CLI::App* command =
      app.add_subcommand("completion", "Completion for a shell: source <(tutti completion bash)");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash")->type_name("SHELL")->required();
  return [&app, shell, streams] {
    if (*shell != "bash") {
      throw UserError(fmt::format("unknown shell '{}'; accepted is bash", *shell));
    }
    print_bash(app, streams.out);
    return kExitOk;
  };
}

Action add_man(CLI::App& app, Streams streams) {
  app.add_subcommand("man", "The manual page: tutti man | man -l -");
  return [&app, streams] {
    print_man(app, streams.out);
    return kExitOk;
  };
}

}  // namespace tutti
