// Text of --help, wrapped to the width of the page.
#pragma once

#include <string>

namespace tutti::inline requests {

class Command;

[[nodiscard]] std::string help_text(const Command& command);

}  // namespace tutti::inline requests
