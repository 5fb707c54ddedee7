// Empty blocks (0 bytes). Libraries do not send them.
#pragma once

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// True if the block is empty although the vector is not. No rank can lack an empty block, so the
// proof demands nothing of it. `index` may lie in a scratch slot.
//
// This exception leaves no byte unproved, because every byte of the vector is in a block that is
// not empty, and all such blocks are checked. Data cannot come out of an empty block either,
// because blocks move only to places of their own size. The proof allows an empty block to be read
// before it is written, and ignores its final content. In all other respects it replays empty
// blocks like all blocks: if nothing was written, the block is undefined, and so is any sum or copy
// made from it.
//
// A proof is for one vector size n and one number of ranks. An algorithm that omits empty blocks
// may wrongly omit the same blocks for a larger n, for which they are not empty, so the schedule
// for that n must be proved, too. If the whole vector is empty, no block is exempt, because
// otherwise nothing would be left to prove.
[[nodiscard]] inline bool holds_nothing(const Schedule& schedule, std::uint32_t index) {
  const BlockLayout& layout = schedule.layout();
  return layout.size_bytes(index % layout.blocks()) == 0 && layout.bytes() > 0;
}

}}  // namespace tutti::schedules
