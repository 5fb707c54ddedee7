// Candidates for the last word of a command line.
#pragma once

#include <string>
#include <vector>

namespace tutti::inline requests {
class Command;
}  // namespace tutti::inline requests

namespace tutti::inline commands {

// Returns the candidates. `words` does not have the program's name; the last word may be incomplete
// or empty.
[[nodiscard]] std::vector<std::string> completions(const Command& app,
                                                   const std::vector<std::string>& words);

}  // namespace tutti::inline commands
