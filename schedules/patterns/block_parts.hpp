// Splits each rank's block into several parts of nearly equal size, for algorithms that send the
// parts of a block over different routes, or one after the other.
#pragma once

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules {

// Returns a layout in which part i of rank r's block is block r * parts + i.
[[nodiscard]] inline BlockLayout layout_in_parts(const Problem& problem, std::uint32_t parts) {
  const std::uint32_t p = problem.ranks;
  const bool even =
      problem.block_bytes.empty() && problem.elements() % (std::uint64_t{p} * parts) == 0;
  if (parts == 1 || even) {
    return layout_in_blocks(problem, p * parts);
  }
  const BlockLayout blocks = block_per_rank(problem);
  std::vector<std::uint64_t> sizes;
  sizes.reserve(std::size_t{p} * parts);
  for (Rank rank = 0; rank < p; ++rank) {
    const BlockLayout cut = BlockLayout::even(blocks.size_bytes(rank) / problem.element_bytes,
                                              parts, problem.element_bytes);
    for (std::uint32_t part = 0; part < parts; ++part) {
      sizes.push_back(cut.size_bytes(part) / problem.element_bytes);
    }
  }
  return BlockLayout::irregular(sizes, problem.element_bytes);
}

}}  // namespace tutti::schedules
