// Finds features of platforms that only SimGrid itself simulates.
#pragma once

#include <optional>
#include <string>

namespace tutti::inline platforms {

// Returns a description of the first such feature of a platform file, with its line number. The
// features are links or hosts whose figures change with time (a profile, a failure trace), WiFi,
// and settings of SimGrid. Returns nothing if there is no such feature, or if the file is not XML,
// because loading the file reports that error. Throws UserError if the file cannot be read.
[[nodiscard]] std::optional<std::string> unmodelled_feature(const std::string& file);

}  // namespace tutti::inline platforms
