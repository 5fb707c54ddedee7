// Empty messages, which libraries leave out. tutti sends them unless --cuts names a library, so
// that schedules have the same shape for all sizes.
#pragma once

#include "schedules/builder.hpp"

namespace tutti { inline namespace schedules {

// Implements Algorithm::one_shape.
[[nodiscard]] inline bool sends_all(const Problem& problem) { return problem.cuts == Cuts::even; }

// True if a message with these blocks is sent. If the whole vector is empty, all messages are sent,
// so that the schedule still shows the communication pattern; libraries return at once in this
// case.
[[nodiscard]] inline bool is_sent(const Problem& problem, const BlockLayout& layout,
                                  const BlockSet& blocks) {
  return sends_all(problem) || problem.bytes == 0 || layout.set_bytes(blocks) > 0;
}

}}  // namespace tutti::schedules
