// How many segments a part of the vector is cut into.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedules/problem.hpp"

namespace tutti {

// Segments of at most segment_bytes (at least one element) that `elements` elements make; at least
// one, so that an empty part is one empty segment.
[[nodiscard]] constexpr std::uint64_t segment_count(std::uint64_t elements,
                                                    std::uint32_t element_bytes,
                                                    std::uint64_t segment_bytes) {
  const std::uint64_t per_segment = std::max<std::uint64_t>(1, segment_bytes / element_bytes);
  return std::max<std::uint64_t>(1, (elements + per_segment - 1) / per_segment);
}

}  // namespace tutti
