// Where libraries leave out messages of no bytes. tutti sends them, unless a library's cuts are
// asked for: schedules then look alike for all sizes.
#pragma once

#include "schedules/builder.hpp"

namespace tutti::inline schedules {

// For Algorithm::one_shape.
[[nodiscard]] inline bool sends_all(const Problem& problem) { return problem.cuts == Cuts::even; }

// Every message of a vector of no bytes at all is sent, so that the schedule still says what goes
// where; libraries return at once then.
[[nodiscard]] inline bool is_sent(const Problem& problem, const BlockLayout& layout,
                                  const BlockSet& blocks) {
  return sends_all(problem) || problem.bytes == 0 || layout.set_bytes(blocks) > 0;
}

}  // namespace tutti::inline schedules
