// Features of SimGrid platforms that only SimGrid itself simulates.
#pragma once

#include <optional>
#include <string>

namespace tutti::inline platforms {

// Returns the first such feature of a platform file in words, with its line: a link or host whose
// figures change with time (a profile, a failure trace), WiFi, or settings of SimGrid. Returns
// nothing if there is none, or if the file is not XML; loading the file reports the error. Throws
// UserError if the file cannot be read.
[[nodiscard]] std::optional<std::string> unmodelled_feature(const std::string& file);

}  // namespace tutti::inline platforms
