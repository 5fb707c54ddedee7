// How much there is to allocate from.
#pragma once

#include <cstdint>

namespace tutti::inline base {

// The machine's memory; as much as can be counted where the system does not say.
[[nodiscard]] std::uint64_t physical_memory_bytes();

}  // namespace tutti::inline base
