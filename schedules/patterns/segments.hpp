// How long segments are, and how many of them a part of the vector makes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedules/problem.hpp"

namespace tutti::inline schedules {

// Whole elements in a segment: --segment, or `default_bytes` where it is not given; at least one.
[[nodiscard]] inline std::uint64_t segment_elements(const Problem& problem,
                                                    std::uint64_t default_bytes) {
  const std::uint64_t bytes = problem.segment_bytes == 0 ? default_bytes : problem.segment_bytes;
  return std::max<std::uint64_t>(1, bytes / problem.element_bytes);
}

// COLL_BASE_COMPUTED_SEGCOUNT of Open MPI's coll/base: rounded to nearest; the whole vector where
// the segment is not given, no shorter than the vector, or shorter than an element. At least one.
[[nodiscard]] inline std::uint64_t open_mpi_segment_elements(const Problem& problem) {
  const std::uint64_t bytes = problem.segment_bytes;
  if (bytes < problem.element_bytes || bytes >= problem.bytes) {
    return std::max<std::uint64_t>(1, problem.elements());
  }
  const std::uint64_t left = bytes % problem.element_bytes;
  return bytes / problem.element_bytes + (left > problem.element_bytes / 2 ? 1 : 0);
}

// Segments of `per_segment` elements that `elements` make, the last one possibly shorter; at least
// one, so that an empty part is one empty segment.
[[nodiscard]] constexpr std::uint64_t segment_count(std::uint64_t elements,
                                                    std::uint64_t per_segment) {
  return elements == 0 ? 1 : (elements - 1) / per_segment + 1;
}

}  // namespace tutti::inline schedules
