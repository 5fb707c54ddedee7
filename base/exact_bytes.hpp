#pragma once

#include <cstdint>
#include <string>

namespace tutti { inline namespace base {

// Returns a size such as "1 MiB", "1.5 MiB" or "32,769 bytes": like human_bytes(), but never
// rounded.
[[nodiscard]] std::string exact_bytes(std::uint64_t bytes);

}}  // namespace tutti::base
