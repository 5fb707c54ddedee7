// The text that --help prints for a command, wrapped to the width of the terminal.
#pragma once

#include <string>

namespace tutti::inline requests {

class Command;

[[nodiscard]] std::string help_text(const Command& command);

}  // namespace tutti::inline requests
