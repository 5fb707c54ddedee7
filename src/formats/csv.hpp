// Fields of comma-separated values.
#pragma once

#include <string>

namespace tutti::inline formats {

// Quoted as RFC 4180 has it where it must be: platforms, hosts and links are named by their users.
[[nodiscard]] std::string csv_field(std::string text);

}  // namespace tutti::inline formats
