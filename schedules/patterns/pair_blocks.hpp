// The blocks of an all-to-all in which every pair of ranks has its own block: the block from rank s
// to rank d is s*p + d. Each block has a place of its own, so it can be sent from work to work.
#pragma once

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules {

[[nodiscard]] inline BlockLayout block_per_pair(const Problem& problem) {
  return layout_in_blocks(problem, problem.ranks * problem.ranks);
}

[[nodiscard]] inline Move pair_block(Rank from, Rank to, std::uint32_t ranks) {
  return {{from * ranks + to, 1}, kWork, kWork};
}

}}  // namespace tutti::schedules
