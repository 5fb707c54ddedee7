// Size of the machine's memory.
#pragma once

#include <cstdint>

namespace tutti { inline namespace base {

// Returns the size of physical memory, or the largest 64-bit number if the system does not report
// the size.
[[nodiscard]] std::uint64_t physical_memory_bytes();

}}  // namespace tutti::base
