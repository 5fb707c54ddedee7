// Functions that run a command line. They are not in main(), so that tests can call them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/commands/command.hpp"
#include "src/requests/exit_codes.hpp"

namespace tutti::inline commands {

// Runs the command that `arguments` gives; the program's name is not one of them. Prints results to
// `out` and errors to `err`. Returns the exit code and does not throw.
[[nodiscard]] int run(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err);

// Runs a command as run() does, but throws errors instead of printing them. Used by commands that
// run another command.
[[nodiscard]] int run_command(const std::vector<std::string>& arguments, Streams streams);

}  // namespace tutti::inline commands
