// All-to-all: the block that a rank keeps.
#pragma once

#include "schedules/builder.hpp"

namespace tutti::inline schedules {

// Block 0, counted by distance, stays at its rank.
inline void copy_own_blocks(ScheduleBuilder& builder) {
  for (const Rank rank : builder.emitted_ranks()) {
    builder.copy({0}, rank, {{0, 1}, kInput, kWork}, {});
  }
}

}  // namespace tutti::inline schedules
