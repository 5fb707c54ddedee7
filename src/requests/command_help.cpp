#include "src/requests/command_help.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "src/formats/text_table.hpp"

namespace tutti {

namespace {

// Where descriptions begin.
std::size_t left_column() { return text_width() < kPageWidth ? 26 : 34; }

std::string described(std::string name, const std::string& description) {
  const std::size_t left = left_column();
  std::string text = "  " + std::move(name);
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

// A line for a shell, broken where the page ends.
std::string shell_line(const std::string& line) {
  std::string text;
  const std::vector<std::string> parts = wrap(line, text_width() - 8);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text +=
        fmt::format("  {}{}{}\n", i > 0 ? "    " : "", parts[i], i + 1 < parts.size() ? " \\" : "");
  }
  return text;
}

}  // namespace

void add_examples(CLI::App& command, const std::vector<std::string>& lines) {
  command.footer(fmt::format("{}", fmt::join(lines, "\n")));
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return fmt::format("{}\n", fmt::join(wrap(app->get_description(), text_width()), "\n"));
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = CLI::Formatter::make_usage(app, std::move(name));
  const std::string options = "[OPTIONS]";
  if (const std::size_t at = usage.find(options); app->get_allow_extras() && at != usage.npos) {
    usage.replace(at, options.size(), "COMMAND... [--and COMMAND...] " + options);
  }
  return usage;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return described(make_option_name(option, is_positional) + make_option_opts(option),
                   make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return described(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  const std::string lines = app->get_footer();
  if (lines.empty()) {
    return "";
  }
  std::string text = "Examples:\n";
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    text += shell_line(lines.substr(at, end - at));
    at = end + 1;
  }
  if (app->get_parent() == nullptr) {
    constexpr const char* kMore =
        "'tutti COMMAND --help' or 'tutti help COMMAND' tells more about each.";
    text += fmt::format("\n{}\n", fmt::join(wrap(kMore, text_width()), "\n"));
  }
  return text;
}

}  // namespace tutti
