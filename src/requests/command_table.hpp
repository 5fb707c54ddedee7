// The command line as a table: commands, their options, and their help texts. Parsing, help,
// completion and the manual page all read this one table.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tutti { inline namespace requests {

// An option, a flag, or a positional argument. Setters return the option, so that calls can be
// chained.
class CommandOption {
 public:
  // The variable that stores the value. For a flag, it is a bool that is set to true; for other
  // options, it gets the text as given.
  using Target =
      std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*>;

  // `names`: "-p,--ranks", or one name without dashes for a positional argument.
  CommandOption(const std::string& names, Target target, std::string description);

  // Sets the placeholder that help shows for the value, such as COUNT or FILE.
  CommandOption& type_name(std::string text) {
    type_name_ = std::move(text);
    return *this;
  }
  // Sets the heading under which help lists the option.
  CommandOption& group(std::string heading) {
    group_ = std::move(heading);
    return *this;
  }
  CommandOption& description(std::string text) {
    description_ = std::move(text);
    return *this;
  }
  CommandOption& required() {
    required_ = true;
    return *this;
  }
  // Sets the values that completion offers, and that are accepted in upper and lower case. Other
  // values stay valid.
  CommandOption& words(std::vector<std::string> offered) {
    words_ = std::move(offered);
    return *this;
  }
  // Splits each value at `separator`.
  CommandOption& delimiter(char separator) {
    delimiter_ = separator;
    return *this;
  }
  // Makes the option take a single value each time it is given. By default, an option whose target
  // is a vector takes all words that follow it.
  CommandOption& one_at_a_time() {
    one_at_a_time_ = true;
    return *this;
  }
  // Lets the option take up to `most` words.
  CommandOption& at_most(int most) {
    most_ = most;
    return *this;
  }
  // Joins the values with `separator` if the option is given several times.
  CommandOption& joined_by(char separator) {
    joined_by_ = separator;
    return *this;
  }

  // All names, such as "-p" and "--ranks"; empty for a positional argument.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // The last of the names, such as "--ranks"; for a positional argument, the argument's name.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_positional() const { return names_.empty(); }
  [[nodiscard]] bool is_flag() const { return std::holds_alternative<bool*>(target_); }
  // True if the option takes any number of words.
  [[nodiscard]] bool takes_many() const;
  [[nodiscard]] bool is_required() const { return required_; }
  [[nodiscard]] bool is_one_at_a_time() const { return one_at_a_time_; }
  [[nodiscard]] int most_words() const { return most_; }
  [[nodiscard]] std::optional<char> delimiter() const { return delimiter_; }
  [[nodiscard]] std::optional<char> joined_by() const { return joined_by_; }
  [[nodiscard]] const std::string& type_name() const { return type_name_; }
  [[nodiscard]] const std::string& group() const { return group_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

  // Stores parsed values. A value that differs from one of words() only in upper and lower case, or
  // in dashes in place of underscores, is stored as that word.
  void store(const std::vector<std::string>& values) const;

 private:
  std::vector<std::string> names_;
  std::string name_;
  Target target_;
  std::string type_name_ = "TEXT";
  std::string group_ = "Options";
  std::string description_;
  std::vector<std::string> words_;
  int most_ = 1;
  bool required_ = false;
  bool one_at_a_time_ = false;
  std::optional<char> delimiter_;
  std::optional<char> joined_by_;
};

// The program itself, or one of its commands. References to commands and options stay valid as more
// are added.
class Command {
 public:
  Command(std::string name, std::string description);

  Command& add_command(std::string name, std::string description);
  // Adds an option or a flag. `target` is a variable of one of the types in CommandOption::Target.
  template <typename Variable>
  CommandOption& add_option(const std::string& names, Variable& target, std::string description) {
    return options_.emplace_back(names, &target, std::move(description));
  }
  CommandOption& add_flag(const std::string& names, bool& target, std::string description) {
    return add_option(names, target, std::move(description));
  }
  // Returns the option with this name, such as "--ranks". Throws InvariantError if there is no such
  // option.
  CommandOption& option(std::string_view name);
  void remove_option(std::string_view name);
  // Adds shell commands to the examples in the help text. They must work in a folder that contains
  // tutti's platforms and examples.
  void add_examples(std::vector<std::string> lines) { examples_ = std::move(lines); }
  // Adds a paragraph below the examples.
  void add_note(std::string text) { note_ = std::move(text); }
  // Leaves the command out of help and completion.
  void hide() { hidden_ = true; }
  // Accepts unknown words, which rest() returns. Help shows `usage` as a placeholder for these
  // words.
  void keep_rest(std::string usage) { rest_usage_ = std::move(usage); }
  // Allows the command to be given without a subcommand.
  void make_commands_optional() { needs_command_ = false; }
  // Adds an option that prints `text`. `names` is, for example, "-V,--version".
  void add_version(const std::string& names, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  // The name, preceded by the names of all parent commands: "tutti platform torus".
  [[nodiscard]] std::string full_name() const;
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::vector<std::string>& examples() const { return examples_; }
  [[nodiscard]] const std::string& note() const { return note_; }
  [[nodiscard]] bool is_hidden() const { return hidden_; }
  [[nodiscard]] bool needs_command() const { return needs_command_ && !commands_.empty(); }
  [[nodiscard]] const std::optional<std::string>& rest_usage() const { return rest_usage_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const Command* parent() const { return parent_; }
  [[nodiscard]] const std::list<Command>& commands() const { return commands_; }
  [[nodiscard]] std::list<Command>& commands() { return commands_; }
  [[nodiscard]] const std::list<CommandOption>& options() const { return options_; }
  // Returns the subcommand with this name; null if there is none, or if it is hidden.
  [[nodiscard]] const Command* command(std::string_view name) const;
  // Returns the option with this long or short name; null if there is none.
  [[nodiscard]] const CommandOption* find_option(std::string_view name) const;

  // For use after parsing: chosen() is true if the command was given, and rest() returns the
  // unknown words.
  [[nodiscard]] bool chosen() const { return chosen_; }
  [[nodiscard]] const std::vector<std::string>& rest() const { return rest_; }
  void choose(std::vector<std::string> rest);
  // Returns the innermost subcommand that was given, or this command if no subcommand was given.
  [[nodiscard]] const Command& deepest_chosen() const;

 private:
  std::string name_;
  std::string description_;
  std::vector<std::string> examples_;
  std::string note_;
  std::string version_;
  const Command* parent_ = nullptr;
  std::list<Command> commands_;
  std::list<CommandOption> options_;
  std::optional<std::string> rest_usage_;
  std::vector<std::string> rest_;
  bool needs_command_ = true;
  bool hidden_ = false;
  bool chosen_ = false;
};

// Adds options that help lists under one heading.
class OptionGroup {
 public:
  OptionGroup(Command& command, std::string heading)
      : command_(command), heading_(std::move(heading)) {}

  // `type_name` is the placeholder that help shows for the value.
  template <typename Variable>
  CommandOption& add(const std::string& names, Variable& target, std::string type_name,
                     std::string description) const {
    return command_.add_option(names, target, std::move(description))
        .type_name(std::move(type_name))
        .group(heading_);
  }

 private:
  Command& command_;
  std::string heading_;
};

// Returns the text that --help prints for a command, wrapped to the width of the terminal.
[[nodiscard]] std::string help_text(const Command& command);

}}  // namespace tutti::requests
