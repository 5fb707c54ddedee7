// The command line without main(), so that tests can call it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/commands/command.hpp"
#include "src/requests/exit_codes.hpp"

namespace tutti::inline commands {

// Runs a command. `arguments` does not have the program's name. Prints results to `out` and one
// line per error to `err`. Returns the exit code and does not throw.
[[nodiscard]] int run(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err);

// Runs a command within another one. Throws its errors instead of printing them.
[[nodiscard]] int run_command(const std::vector<std::string>& arguments, Streams streams);

}  // namespace tutti::inline commands
