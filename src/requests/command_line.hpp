// Parses the command-line arguments of all tutti programs. Every error message is a single line
// that names the invalid argument and says what is accepted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace requests {

class Command;

// Parses `arguments`, which exclude the program's name. Stores the values of options, and marks the
// commands that were given. Returns the text to print if --help or --version was given, and nothing
// otherwise. Throws UserError.
[[nodiscard]] std::optional<std::string> parse_command_line(
    Command& program, const std::vector<std::string>& arguments);

// Does the same, but keeps only the texts of options. Command::read_values() parses them.
[[nodiscard]] std::optional<std::string> parse_words(Command& program,
                                                     const std::vector<std::string>& arguments);

// Gives `changed`, which has the options of `given` and has not been parsed, the values that
// `given` has, except for those that `words` sets, such as "--placement cyclic --ports 1". Throws
// UserError if `words` sets an option whose heading is not one of `headings`.
void change_options(const Command& given, const std::string& words,
                    std::span<const std::string_view> headings, Command& changed);

}}  // namespace tutti::requests
