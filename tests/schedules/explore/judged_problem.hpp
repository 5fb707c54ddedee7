// Problems on which judge and proof are asked the same.
#pragma once

#include "schedules/algorithm.hpp"

namespace tutti::explore {

// The proof demands nothing of empty blocks of a vector that is not empty; the judge knows no
// sizes. Where the algorithm has such blocks, the same problem with a vector of nothing, of which
// both demand all.
inline Problem judged_problem(const Algorithm& algorithm, Problem problem) {
  const BlockLayout layout = algorithm.layout(problem);
  for (std::uint32_t block = 0; problem.bytes > 0 && block < layout.blocks(); ++block) {
    if (layout.size_bytes(block) == 0) {
      problem.bytes = 0;
    }
  }
  return problem;
}

}  // namespace tutti::explore
