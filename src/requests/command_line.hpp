// What all our programs say of arguments that are no good: one line that names them, and what would
// do.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tutti {

// Parses the arguments, without the program's name, of an app whose name is that of the program and
// which has subcommands. Throws UserError, and CLI::Success for --help and --version.
void parse_command_line(CLI::App& app, const std::vector<std::string>& arguments);

// The command that was given; of 'tutti platform torus' the whole of it.
[[nodiscard]] const CLI::App& chosen_command(const CLI::App& app);

// As complaints are printed: without line ends, without what a terminal might obey, and no longer
// than somebody may want to read.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace tutti
