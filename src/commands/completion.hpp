// Shell completion: finds candidates for the last word of a command line.
#pragma once

#include <string>
#include <vector>

namespace tutti::inline requests {
class Command;
}  // namespace tutti::inline requests

namespace tutti::inline commands {

// Returns the candidates for the last of `words`, which may be incomplete or empty. `words` is a
// command line without the program's name.
[[nodiscard]] std::vector<std::string> completions(const Command& app,
                                                   const std::vector<std::string>& words);

}  // namespace tutti::inline commands
