// What may stand in place of the last word of a command line.
#pragma once

#include <string>
#include <vector>

namespace tutti::inline requests {
class Command;
}  // namespace tutti::inline requests

namespace tutti::inline commands {

// `words` without the program's name; the last is as far as it is typed, perhaps "". Folders end
// with '/'.
[[nodiscard]] std::vector<std::string> completions(const Command& app,
                                                   const std::vector<std::string>& words);

}  // namespace tutti::inline commands
