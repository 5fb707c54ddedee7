// The block of an all-to-all that stays at its rank.
#pragma once

#include "schedules/builder.hpp"

namespace tutti { inline namespace schedules {

// Copies block 0 of every rank. Blocks are numbered by distance, so this is the block that stays.
inline void copy_own_blocks(ScheduleBuilder& builder) {
  for (const Rank rank : builder.emitted_ranks()) {
    builder.copy({0}, rank, {{0, 1}, kInput, kWork}, {});
  }
}

}}  // namespace tutti::schedules
