// Features of SimGrid platforms that only SimGrid itself simulates.
#pragma once

#include <optional>
#include <string>

namespace tutti::inline platforms {

// The first such feature of a platform file, in words and with its line: a link or host whose
// figures change with time (a profile, a failure trace), WiFi, settings of SimGrid. Nothing if
// there is none, or if it is no XML; loading it says why. Throws UserError when it cannot be read.
[[nodiscard]] std::optional<std::string> unmodelled_feature(const std::string& file);

}  // namespace tutti::inline platforms
