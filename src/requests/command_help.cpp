#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_lines.hpp"
#include "src/formats/text_table.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace requests {

namespace {

// Returns the column in which the descriptions of options and commands begin.
std::size_t left_column() { return text_width() < kPageWidth ? 26 : 34; }

std::string wrapped(const std::string& text) {
  return fmt::format("{}\n", fmt::join(wrap(text, text_width()), "\n"));
}

std::string described(const std::string& name, const std::string& description) {
  const std::size_t left = left_column();
  std::string text = "  " + name;
  if (description.empty()) {
    return text + "\n";
  }
  if (display_width(text) + 1 > left) {
    text += "\n" + std::string(left, ' ');
  } else {
    text.append(left - display_width(text), ' ');
  }
  bool first = true;
  for (const std::string& line : wrap(description, text_width() - left)) {
    text += (first ? std::string() : std::string(left, ' ')) + line + "\n";
    first = false;
  }
  return text;
}

// Formats a shell command, and breaks it into lines that fit the terminal.
std::string shell_line(const std::string& line) {
  std::string text;
  const std::vector<std::string> parts = wrap(line, text_width() - 8);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text +=
        fmt::format("  {}{}{}\n", i > 0 ? "    " : "", parts[i], i + 1 < parts.size() ? " \\" : "");
  }
  return text;
}

// Returns an option as help shows it: "-p,--ranks COUNT", "algorithm ALG ... REQUIRED".
std::string usage(const CommandOption& option) {
  std::string text =
      option.is_positional() ? option.name() : fmt::format("{}", fmt::join(option.names(), ","));
  if (!option.type_name().empty()) {
    text += " " + option.type_name();
  }
  if (option.takes_many()) {
    text += " ...";
  }
  if (option.is_required()) {
    text += " REQUIRED";
  }
  return text;
}

std::string usage(const Command& command) {
  std::string text = fmt::format("Usage: {}", command.full_name());
  if (const auto& rest = command.rest_usage()) {
    text += " " + *rest;
  }
  text += " [OPTIONS]";
  for (const CommandOption& option : command.options()) {
    if (option.is_positional()) {
      const std::string word = option.name() + (option.takes_many() ? "..." : "");
      text += option.is_required() ? " " + word : " [" + word + "]";
    }
  }
  if (!command.commands().empty()) {
    text += command.needs_command() ? " SUBCOMMAND" : " [SUBCOMMAND]";
  }
  return text + "\n";
}

// `all`: false for the usual options only.
std::string option_groups(const Command& command, bool all) {
  std::vector<std::pair<std::string, std::string>> groups;  // each heading, and the text below it
  for (const CommandOption& option : command.options()) {
    if (!all && !option.is_usual()) {
      continue;
    }
    const std::string heading = option.is_positional() ? "Positionals" : option.group();
    auto group = std::ranges::find(groups, heading, &std::pair<std::string, std::string>::first);
    if (group == groups.end()) {
      group = groups.insert(option.is_positional() ? groups.begin() : groups.end(), {heading, ""});
    }
    group->second += described(usage(option), option.description());
  }
  std::string text;
  for (const auto& [heading, lines] : groups) {
    text += fmt::format("\n{}:\n{}", heading, lines);
  }
  return text;
}

// Wraps each line of `text` as a paragraph of its own, except that lines that begin with a blank
// stay as they are.
std::string note(std::string_view text) {
  std::string paragraphs;
  std::string_view line;
  while (next_line(text, line)) {
    paragraphs += line.starts_with(' ') ? std::string(line) + "\n" : wrapped(std::string(line));
  }
  return paragraphs;
}

}  // namespace

std::string help_text(const Command& command, bool all) {
  constexpr std::size_t kFew = 20;
  const auto usual = std::ranges::count_if(command.options(), &CommandOption::is_usual);
  const bool shortens = !all && command.options().size() > kFew &&
                        std::ranges::any_of(command.options(), &CommandOption::is_marked_usual);
  std::string text =
      wrapped(command.description()) + usage(command) + option_groups(command, !shortens);
  if (shortens) {
    text += fmt::format("\n{} more options: {} --help all\n",
                        static_cast<std::ptrdiff_t>(command.options().size()) - usual,
                        command.full_name());
  }
  std::string commands;
  for (const Command& each : command.commands()) {
    if (!each.is_hidden()) {
      commands += described(each.name(), each.description());
    }
  }
  if (!commands.empty()) {
    text += "\nSubcommands:\n" + commands;
  }
  if (!command.examples().empty()) {
    text += "\nExamples:\n";
    for (const std::string& line : command.examples()) {
      text += shell_line(line);
    }
  }
  if (!command.note().empty()) {
    text += "\n" + note(command.note());
  }
  return text;
}

}}  // namespace tutti::requests
