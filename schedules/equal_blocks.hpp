// The condition on block sizes under which closed forms hold.
#pragma once

#include "schedules/block_layout.hpp"
#include "schedules/collective.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// True if all blocks have the same size, or if every rank (in alltoallv, every pair of ranks) owns
// several blocks, of the same sizes in the same order.
[[nodiscard]] inline bool equal_blocks(const Problem& problem, const BlockLayout& layout) {
  if (layout.uniform()) {
    return true;
  }
  const std::uint32_t blocks = layout.blocks();
  // In alltoallv, blocks belong to pairs of ranks.
  const std::uint64_t owned = natural_blocks(problem.collective, problem.ranks);
  if (!owns_parts(problem.collective) || blocks % owned != 0) {
    return false;
  }
  const auto of_rank = static_cast<std::uint32_t>(blocks / owned);
  for (std::uint32_t block = of_rank; block < blocks; ++block) {
    if (layout.size_bytes(block) != layout.size_bytes(block - of_rank)) {
      return false;
    }
  }
  return of_rank > 1;
}

}}  // namespace tutti::schedules
