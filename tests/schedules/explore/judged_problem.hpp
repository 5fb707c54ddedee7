// Problems on which the judge (the exhaustive search) and the proof answer the same question.
#pragma once

#include "schedules/algorithm.hpp"

namespace tutti::explore {

// Returns `problem`, but with an empty vector if the algorithm would leave only some blocks empty.
// The proof demands nothing of such blocks, but the judge does, because it ignores sizes. If the
// whole vector is empty, both demand every block.
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
