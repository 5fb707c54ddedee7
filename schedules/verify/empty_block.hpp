// Blocks of no bytes, which libraries do not send to those who are to hold them.
#pragma once

#include "schedules/schedule.hpp"

namespace tutti {

// Whether there is nothing in a block of a vector in which there is something: then nobody can lack
// it, and nothing is demanded of it. Of a vector of no bytes at all, the schedule is to say where
// blocks would go. `index` may lie in a scratch slot.
[[nodiscard]] inline bool holds_nothing(const Schedule& schedule, std::uint32_t index) {
  const BlockLayout& layout = schedule.layout();
  return layout.size_bytes(index % layout.blocks()) == 0 && layout.bytes() > 0;
}

}  // namespace tutti
