// The command line as a table: commands, their options, and their help texts. Parsing, help,
// completion and the manual page all read this one table.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/requests/option_store.hpp"

namespace tutti { inline namespace requests {

// An option, a flag, or a positional argument. Setters return the option, so that calls can be
// chained.
class CommandOption {
 public:
  // `names`: "-p,--ranks", or one name without dashes for a positional argument.
  CommandOption(const std::string& names, OptionStore store, std::string description);

  // Sets the placeholder that help shows for the value, such as COUNT or FILE.
  CommandOption& type_name(std::string text) {
    type_name_ = std::move(text);
    return *this;
  }
  // Stores the value in another variable, or reads it with another parser.
  template <typename Variable, typename Parser>
  CommandOption& read_into(Variable& variable, Parser parser) {
    store_ = store_in(variable, parser);
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
  // Makes the short help show the option.
  CommandOption& usual(bool is = true) {
    usual_ = is;
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
  // Sets the character between values that one text has, for programs that write command lines.
  CommandOption& separated_by(char separator) {
    separator_ = separator;
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
  // The name for messages, such as "$ranks_per_host" (base/field_names.hpp).
  [[nodiscard]] std::string field() const;
  [[nodiscard]] bool is_positional() const { return names_.empty(); }
  [[nodiscard]] bool is_flag() const { return store_.is_flag; }
  // True if the option takes any number of words.
  [[nodiscard]] bool takes_many() const { return store_.takes_many; }
  [[nodiscard]] bool is_marked_usual() const { return usual_; }
  // True if the short help shows the option.
  [[nodiscard]] bool is_usual() const {
    return usual_ || required_ || is_positional() || name_ == "--help";
  }
  [[nodiscard]] bool is_required() const { return required_; }
  [[nodiscard]] bool is_one_at_a_time() const { return one_at_a_time_; }
  [[nodiscard]] int most_words() const { return most_; }
  [[nodiscard]] std::optional<char> delimiter() const { return delimiter_; }
  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] std::optional<char> joined_by() const { return joined_by_; }
  [[nodiscard]] const std::string& type_name() const { return type_name_; }
  [[nodiscard]] const std::string& group() const { return group_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

  // Keeps the texts that the user gave. A text that differs from one of words() only in upper and
  // lower case, or in dashes in place of underscores, is read as that word.
  void take(std::vector<std::string> texts);
  // Stores what the texts mean, if the user gave the option. Throws UserError.
  void read_value() const;
  [[nodiscard]] bool is_given() const { return is_given_; }
  // The user's texts; empty for a flag, and if the user did not give the option.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }
  // The option with its text for messages: "$alpha '2us'". The user must have given the option.
  [[nodiscard]] std::string given() const;

 private:
  std::vector<std::string> names_;
  std::string name_;
  OptionStore store_;
  std::string type_name_ = "TEXT";
  std::string group_ = "Options";
  std::string description_;
  std::vector<std::string> words_;
  std::vector<std::string> texts_;
  int most_ = 1;
  bool is_given_ = false;
  bool usual_ = false;
  bool required_ = false;
  bool one_at_a_time_ = false;
  char separator_ = ',';
  std::optional<char> delimiter_;
  std::optional<char> joined_by_;
};

// The program itself, or one of its commands. References to commands and options stay valid as more
// are added.
class Command {
 public:
  Command(std::string name, std::string description);

  Command& add_command(std::string name, std::string description);
  // Adds an option. The variable is a value of the type that `parser` returns (option_parsers.hpp),
  // an optional value, an ValueWithText, or a list of such values. If the parser has words,
  // completion offers them.
  template <typename Variable, typename Parser = AsText>
  CommandOption& add_option(const std::string& names, Variable& variable, std::string description,
                            Parser parser = {}) {
    CommandOption& added =
        options_.emplace_back(names, store_in(variable, parser), std::move(description));
    if constexpr (requires { Parser::words(); }) {
      added.words(Parser::words());
    }
    return added;
  }
  CommandOption& add_flag(const std::string& names, bool& flag, std::string description) {
    return options_.emplace_back(names, store_in(flag), std::move(description));
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
  [[nodiscard]] std::list<CommandOption>& options() { return options_; }
  // Returns the subcommand with this name; null if there is none, or if it is hidden.
  [[nodiscard]] const Command* command(std::string_view name) const;
  // Returns the option with this long or short name; null if there is none.
  [[nodiscard]] const CommandOption* find_option(std::string_view name) const;

  // Returns the first option under this heading that the user gave; null if there is none.
  [[nodiscard]] const CommandOption* first_given(std::string_view heading) const;

  // For use after parsing: chosen() is true if the command was given, and rest() returns the
  // unknown words.
  [[nodiscard]] bool chosen() const { return chosen_; }
  [[nodiscard]] const std::vector<std::string>& rest() const { return rest_; }
  void choose(std::vector<std::string> rest);
  // Stores the values of the options of this command and of the chosen ones below it. Throws
  // UserError.
  void read_values() const;
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
  template <typename Variable, typename Parser = AsText>
  CommandOption& add(const std::string& names, Variable& variable, std::string type_name,
                     std::string description, Parser parser = {}) const {
    return command_.add_option(names, variable, std::move(description), parser)
        .type_name(std::move(type_name))
        .group(heading_);
  }
  CommandOption& flag(const std::string& names, bool& flag, std::string description) const {
    return command_.add_flag(names, flag, std::move(description)).group(heading_);
  }

 private:
  Command& command_;
  std::string heading_;
};

// Returns the text that --help prints for a command, wrapped to the width of the terminal. It lists
// only the usual options if `all` is false, and if the command has many options, of which some are
// marked as usual.
[[nodiscard]] std::string help_text(const Command& command, bool all);

}}  // namespace tutti::requests
