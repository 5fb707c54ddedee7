// Lines of comma-separated values that people and schedulers write.
#pragma once

#include <string_view>
#include <vector>

namespace tutti::inline requests {

// Without blanks, tabs and carriage returns at its ends.
[[nodiscard]] std::string_view trimmed_blanks(std::string_view text);

// Of commas, each field trimmed, and perhaps in quotation marks; none has a comma or a mark inside.
// Points into `line`.
[[nodiscard]] std::vector<std::string_view> csv_fields(std::string_view line);

}  // namespace tutti::inline requests
