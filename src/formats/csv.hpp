// Fields of comma-separated values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline formats {

// Quoted as RFC 4180 has it where it must be: platforms, hosts and links are named by their users.
[[nodiscard]] std::string csv_field(std::string text);

// The fields of a line, without blanks around them and without their quotation marks.
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view line);

}  // namespace tutti::inline formats
