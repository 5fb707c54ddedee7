// All-to-all: the block that a rank keeps.
#pragma once

#include "schedules/builder.hpp"

namespace tutti {

// Block 0, counted by distance, stays at its rank.
inline void copy_own_blocks(ScheduleBuilder& builder) {
  for (Rank rank = 0; rank < builder.ranks(); ++rank) {
    builder.copy({0}, rank, {{0, 1}, kInput, kWork}, {});
  }
}

}  // namespace tutti
