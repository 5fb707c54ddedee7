// Text of --help, as wide as the page.
#pragma once

#include <string>

namespace tutti {

class Command;

[[nodiscard]] std::string help_text(const Command& command);

}  // namespace tutti
