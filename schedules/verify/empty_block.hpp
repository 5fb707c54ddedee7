// Blocks of no bytes, which libraries do not send to those who are to hold them.
#pragma once

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// Whether there is nothing in a block of a vector in which there is something: then nobody can lack
// it, and nothing is demanded of it. `index` may lie in a scratch slot.
//
// That leaves no byte unproved. Each byte of the vector is in one block, and in none of these: what
// a rank holds there cannot be wrong, and what comes out of it is no byte either, since a block
// goes to places of its own size only. Nor does it lend anybody a value: it is let off being read
// and being asked for, and is otherwise replayed as all blocks are, undefined where nothing was
// put, so that a sum or a copy made with it would be undefined too. All other blocks are asked for
// as ever.
//
// The proof is of one n, as of one p. What a schedule forgets where its blocks are empty, it may
// forget for a larger n, and has to be proved there. Of a vector of no bytes at all nothing would
// be left to prove: there, the schedule is to say where blocks would go.
[[nodiscard]] inline bool holds_nothing(const Schedule& schedule, std::uint32_t index) {
  const BlockLayout& layout = schedule.layout();
  return layout.size_bytes(index % layout.blocks()) == 0 && layout.bytes() > 0;
}

}  // namespace tutti::inline schedules
