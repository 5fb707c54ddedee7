// Parses the arguments of all our programs. Every error message is one line, which names the
// argument and says what is accepted.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::inline requests {

class Command;

// Parses the arguments, without the program's name, stores the values of options, and marks the
// commands that were chosen. Returns the text to print if --help or --version was given. Throws
// UserError.
[[nodiscard]] std::optional<std::string> parse_command_line(
    Command& program, const std::vector<std::string>& arguments);

// Prepares an error message for printing: removes trailing line ends, escapes control characters,
// and shortens long texts.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace tutti::inline requests
