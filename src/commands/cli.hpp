// Functions that run or complete a command line. They are not defined in main.cpp, so that tests
// can call them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/commands/command.hpp"
#include "src/requests/exit_codes.hpp"

namespace tutti { inline namespace commands {

// The error if memory runs out.
inline constexpr const char* kNoMemory = "out of memory; use fewer ranks or a larger machine";

// Runs the command line `arguments`, which does not include the program's name. Reports errors to
// streams.messages. Returns the exit code. Throws nothing but Stopped.
[[nodiscard]] int run(const std::vector<std::string>& arguments, Streams streams);

// Runs a command as run() does, but throws errors instead of printing them. Commands that run
// another command use this function.
[[nodiscard]] int run_command(const std::vector<std::string>& arguments, Streams streams);

// Returns the candidates for the last of `words`, which may be incomplete or empty. `words` is a
// command line without the program's name.
[[nodiscard]] std::vector<std::string> completions(const Command& app,
                                                   const std::vector<std::string>& words);

}}  // namespace tutti::commands
