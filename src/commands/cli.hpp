// The command line but for main(), so that tests can call it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/commands/command.hpp"
#include "src/requests/exit_codes.hpp"

namespace tutti::inline commands {

// `arguments` without the program's name. Prints results to `out` and one line per complaint to
// `err`; returns the exit code. Throws nothing.
[[nodiscard]] int run(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err);

// The same for one command within another: complains by throwing, and publishes no file.
[[nodiscard]] int run_command(const std::vector<std::string>& arguments, Streams streams);

}  // namespace tutti::inline commands
