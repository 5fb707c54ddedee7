// tutti man prints the manual page, and tutti help prints the help of a command. Both texts are
// generated from the command table, so they cannot become outdated.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text_lines.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/documents.hpp"
#include "src/commands/shared_options.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace commands {

namespace {

// Calls visit(command, name) for each command below `app`, at any depth, except hidden ones. `name`
// consists of `prefix`, the names of the command's parents below `app`, and the command's own name:
// "platform torus".
template <typename Visit>
void for_each_command(const Command& app, const std::string& prefix, Visit&& visit) {
  for (const Command& command : app.commands()) {
    if (command.is_hidden()) {
      continue;
    }
    const std::string name = prefix + command.name();
    visit(command, name);
    for_each_command(command, name + " ", visit);
  }
}

// Escapes text for a manual page. Dashes must be escaped to be printed as ASCII dashes. A line must
// not begin with '.' or an apostrophe, because man would interpret such a line as a formatting
// request.
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

std::string shell_lines(const Command& command) {
  return fmt::format("{}", fmt::join(command.examples(), "\n"));
}

void print_options(const Command& command, std::ostream& out) {
  for (const CommandOption& option : command.options()) {
    const std::string& type = option.type_name();
    if (option.is_positional()) {
      out << fmt::format(".TP\n.I {}\n", roff(type));
    } else {
      const std::string names = fmt::format("{}", fmt::join(option.names(), ", "));
      out << fmt::format(".TP\n\\fB{}\\fR{}\n", roff(names),
                         type.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(type)));
    }
    out << roff(option.description()) << '\n';
  }
}

void print_man(const Command& app, std::ostream& out) {
  out << fmt::format(".TH TUTTI 1 \"\" \"tutti {}\" \"User Commands\"\n", TUTTI_VERSION);
  out << ".SH NAME\n" << roff("tutti - simulator for schedules of collective communication\n");
  out << ".SH SYNOPSIS\n.B tutti\n.I COMMAND\n[\\fIOPTIONS\\fR]\n";
  out << ".SH DESCRIPTION\n"
      << roff(app.description()) << ".\n.PP\n"
      << roff(
             "Write sizes as 1000, 64K (which means 64KiB) or 1MiB, lists as 4,8,16, ranges as "
             "2..64, and doublings as 8..16MiB*2 (8, 16, 32, ..., 16MiB).\n");
  out << ".SH COMMANDS\n";
  for_each_command(app, "", [&](const Command& command, const std::string& name) {
    out << fmt::format(".SS tutti {}\n{}\n", roff(name), roff(command.description()));
    print_options(command, out);
    if (!command.examples().empty()) {
      out << ".PP\nExamples:\n.PP\n.nf\n" << roff(shell_lines(command)) << "\n.fi\n";
    }
    if (!command.note().empty()) {
      out << ".PP\n.nf\n" << roff(command.note()) << "\n.fi\n";
    }
  });
  out << ".SH EXIT STATUS\n"
         ".TP\n0\nsuccess\n"
         ".TP\n1\na check failed: for example, a schedule is wrong\n"
         ".TP\n2\ninvalid input; one line on standard error says what is expected\n"
         ".TP\n70\nan internal error of tutti; please report it\n"
         ".SH EXAMPLES\n.nf\n"
      << roff(shell_lines(app)) << "\n"
      << ".fi\n";
}

// Escapes text for a cell of a Markdown table, where an unescaped '|' would end the cell, and '<'
// would begin an HTML tag.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') {
      escaped += "\\|";
    } else if (c == '\n') {
      escaped += "<br>";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '*' || c == '_' || c == '`') {
      escaped += '\\';
      escaped += c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Prints a table of the fields of each document. docs/reference/documents.md is the output of this
// function.
void print_documents(std::ostream& out) {
  out << "# Fields of documents\n\n"
         "`tutti man --documents` prints this page, and `tutti man --schema NAME` the JSON schema "
         "of a document. [Formats](formats.md) says which commands write and read them. Every "
         "document has the key `schema` and, in a file, `made_by`. Numbers are not negative, "
         "except those whose meaning says so.\n";
  for (const DocumentType* const type : document_types()) {
    out << '\n' << document_section(*type);
  }
}

std::vector<std::string> document_names() {
  std::vector<std::string> names;
  for (const DocumentType* const type : document_types()) {
    names.push_back(type->file());
  }
  return names;
}

void print_schema(const std::string& name, std::ostream& out) {
  for (const DocumentType* const type : document_types()) {
    if (type->file() == name) {
      out << schema_text(*type);
      return;
    }
  }
  throw UserError(fmt::format("$schema '{}': unknown document; use {}{}", name,
                              alternatives(document_names()),
                              did_you_mean(name, document_names())));
}

// Prints the manual page as Markdown. docs/reference/commands.md is the output of this function.
void print_markdown(const Command& app, std::ostream& out) {
  out << "# Commands and options\n\n"
      << "`tutti man --markdown` prints this page, and `tutti COMMAND --help all` a part of it. "
         "[Input and output](input_output.md) describes sizes, lists and exit statuses.\n";
  for_each_command(app, "", [&](const Command& command, const std::string& name) {
    out << fmt::format("\n## tutti {}\n\n{}.\n", name, cell(command.description()));
    if (!command.options().empty()) {
      out << "\n| option | meaning |\n|---|---|\n";
    }
    for (const CommandOption& option : command.options()) {
      const std::string& type = option.type_name();
      const std::string names = fmt::format("{}", fmt::join(option.names(), "`, `"));
      out << (option.is_positional() ? fmt::format("| {} ", cell(type))
                                     : fmt::format("| `{}` {} ", names, cell(type)))
          << fmt::format("| {} |\n", cell(option.description()));
    }
    if (!command.examples().empty()) {
      out << fmt::format("\n```sh\n{}\n```\n", shell_lines(command));
    }
    if (!command.note().empty()) {
      out << fmt::format("\n```text\n{}\n```\n", command.note());
    }
  });
}

namespace help_fields {

std::optional<std::string> separator_of(const CommandOption& option) {
  const auto separator =
      option.takes_many() ? option.delimiter() : std::optional(option.separator());
  return separator ? std::optional(std::string(1, *separator)) : std::nullopt;
}

constexpr auto kOption = fields<CommandOption>({
    {"field",
     [](const CommandOption& option) {
       return option.name().substr(option.name().find_first_not_of('-'));
     },
     "Long name without dashes at its beginning."},
    {"names", [](const CommandOption& option) -> const auto& { return option.names(); },
     "All names, such as -p and --ranks; empty for an argument without a name."},
    {"value",
     [](const CommandOption& option) { return value_if(!option.is_flag(), option.type_name()); },
     "Placeholder of the value; null for a flag."},
    {"group", [](const CommandOption& option) -> const auto& { return option.group(); },
     "Heading in the help."},
    {"help", [](const CommandOption& option) -> const auto& { return option.description(); }},
    {"words", [](const CommandOption& option) -> const auto& { return option.words(); },
     "Values that completion offers."},
    {"usual", [](const CommandOption& option) { return option.is_usual(); },
     "True if the short help shows the option."},
    {"required", [](const CommandOption& option) { return option.is_required(); }},
    {"repeated",
     [](const CommandOption& option) { return option.takes_many() && !option.delimiter(); },
     "True if the option is given once for each value."},
    {"separator", from<separator_of>,
     "Character between the values in one text; null if a text has one value."},
});

struct NamedCommand {
  std::string name;
  const Command& command;
};

constexpr auto kCommand = fields<NamedCommand>({
    {"command", member<&NamedCommand::name>, "Words of the command, such as platform torus."},
    {"help", [](const NamedCommand& of) -> const auto& { return of.command.description(); }},
    {"options", kOption,
     [](const NamedCommand& of) -> const auto& { return of.command.options(); }},
    {"examples", [](const NamedCommand& of) -> const auto& { return of.command.examples(); }},
    {"note", [](const NamedCommand& of) -> const auto& { return of.command.note(); }},
});

std::vector<NamedCommand> commands_of(const Command& app) {
  std::vector<NamedCommand> commands;
  for_each_command(app, "", [&](const Command& command, const std::string& name) {
    commands.push_back({name, command});
  });
  return commands;
}

constexpr auto kHelp = fields<Command>({{"commands", kCommand, from<commands_of>}});

constexpr DocumentOf<Command> kDocument{
    {"tutti-help/1", "the options of all commands, as written by tutti help --json", kHelp.view()}};

}  // namespace help_fields

// Throws UserError if a word after a command is none of its subcommands. The parser, which checks
// the first word, reports no others beside --help.
void check_words(const Command& app, const std::vector<std::string>& words) {
  const Command* command = &app;
  for (const std::string& word : words) {
    const auto& inner = command->commands();
    const auto found = std::ranges::find(inner, word, &Command::name);
    if (found != inner.end()) {
      command = &*found;
      continue;
    }
    if (command == &app) {
      return;
    }
    std::vector<std::string> names;
    for (const Command& each : inner) {
      names.push_back(each.name());
    }
    throw UserError(fmt::format("help: '{}' has no subcommand '{}'{}", command->full_name(), word,
                                names.empty() ? ""
                                              : fmt::format("; expected {}{}", alternatives(names),
                                                            did_you_mean(word, names))));
  }
}

struct HelpOptions {
  std::vector<std::string> words;
  bool all = false;
  JsonPath json;
};

}  // namespace

const DocumentType& help_document() { return help_fields::kDocument; }

Action add_help(Command& app, Streams streams) {
  Command& command = app.add_command("help", "Show the help of a command");
  auto options = std::make_shared<HelpOptions>();
  command
      .add_option("command", options->words,
                  "A command, or a command and its subcommand [all commands]")
      .type_name("COMMAND");
  command.add_flag("--all", options->all, "Show all options, as --help all does");
  command
      .add_option("--json", options->json,
                  "Write the options of all commands as JSON; - is standard output")
      .type_name(kWrittenFile);
  command.add_examples({"tutti help", "tutti help compare --all", "tutti help platform torus"});
  return [&app, options, streams] {
    if (options->json) {
      wrote_json(options->json, document_json(help_fields::kDocument, app), streams);
      return kExitOk;
    }
    std::vector<std::string> words = options->words;
    check_words(app, words);
    words.emplace_back("--help");
    if (options->all) {
      words.emplace_back("all");
    }
    return run(words, streams);
  };
}

Action add_man(Command& app, Streams streams) {
  Command& command =
      app.add_command("man", "Print the manual page; to read it: tutti man | man -l -");
  auto markdown = std::make_shared<bool>(false);
  auto documents = std::make_shared<bool>(false);
  auto schema = std::make_shared<std::string>();
  command.add_flag("--markdown", *markdown, "Print the page as Markdown");
  command.add_flag("--documents", *documents, "Print the fields of the JSON documents as Markdown");
  command
      .add_option("--schema", *schema,
                  "Print the JSON schema of a document, such as tutti-result-1")
      .type_name("NAME")
      .words(document_names());
  command.add_examples({"tutti man | man -l -", "tutti man > tutti.1",
                        "tutti man | groff -man -Tutf8 | head -n 40"});
  return [&app, markdown, documents, schema, streams] {
    if (!schema->empty()) {
      print_schema(*schema, streams.out);
    } else if (*documents) {
      print_documents(streams.out);
    } else if (*markdown) {
      print_markdown(app, streams.out);
    } else {
      print_man(app, streams.out);
    }
    return kExitOk;
  };
}

}}  // namespace tutti::commands
