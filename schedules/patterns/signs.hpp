// Signs are empty messages that mean "go on", in collectives that move data. For its sign, each
// rank has a second, empty block after its own block. A message or a local copy of this empty block
// moves nothing, but other operations can wait for it.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/block_layout.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// Returns a layout with each rank's block of the even split, followed by the rank's sign. If
// `first_elements` is given, the block is cut in two after that many elements.
[[nodiscard]] inline BlockLayout blocks_with_signs(const Problem& problem,
                                                   const std::uint64_t* first_elements = nullptr) {
  const BlockLayout even =
      BlockLayout::even(problem.elements(), problem.ranks, problem.element_bytes);
  std::vector<std::uint64_t> elements;
  elements.reserve(std::size_t{3} * problem.ranks);
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    std::uint64_t left = even.size_bytes(rank) / problem.element_bytes;
    if (first_elements != nullptr) {
      const std::uint64_t first = *first_elements < left ? *first_elements : left;
      elements.push_back(first);
      left -= first;
    }
    elements.push_back(left);
    elements.push_back(0);
  }
  return BlockLayout::irregular(elements, problem.element_bytes);
}

}}  // namespace tutti::schedules
