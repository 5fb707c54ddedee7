// Quotes fields of comma-separated values, and splits lines into fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline formats {

// Quotes a field according to RFC 4180 if necessary. The names of platforms, hosts and links come
// from users and may contain commas.
[[nodiscard]] std::string csv_field(std::string text);

// Splits a line into fields, without the blanks and quotation marks around them.
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view line);

}  // namespace tutti::inline formats
