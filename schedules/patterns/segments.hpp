// The length of segments, and the number of segments in a part of the vector.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// Returns the number of whole elements in a segment of --segment bytes, or of `default_bytes` if
// --segment is not given; at least one.
[[nodiscard]] inline std::uint64_t segment_elements(const Problem& problem,
                                                    std::uint64_t default_bytes) {
  const std::uint64_t bytes = problem.segment_bytes == 0 ? default_bytes : problem.segment_bytes;
  return std::max<std::uint64_t>(1, bytes / problem.element_bytes);
}

// Returns the number of elements in a segment, rounded to nearest, as COLL_BASE_COMPUTED_SEGCOUNT
// of Open MPI's coll/base does; at least one. The segment is the whole vector if --segment is not
// given, not shorter than the vector, or shorter than an element.
[[nodiscard]] inline std::uint64_t open_mpi_segment_elements(const Problem& problem) {
  const std::uint64_t bytes = problem.segment_bytes;
  if (bytes < problem.element_bytes || bytes >= problem.bytes) {
    return std::max<std::uint64_t>(1, problem.elements());
  }
  const std::uint64_t left = bytes % problem.element_bytes;
  return bytes / problem.element_bytes + (left > problem.element_bytes / 2 ? 1 : 0);
}

// Returns the number of segments of `per_segment` elements in `elements`; the last one may be
// shorter. At least one, so that an empty part is one empty segment.
[[nodiscard]] constexpr std::uint64_t segment_count(std::uint64_t elements,
                                                    std::uint64_t per_segment) {
  return elements == 0 ? 1 : (elements - 1) / per_segment + 1;
}

}}  // namespace tutti::schedules
