// Sums in rank order of contributions that come straight from their ranks, one a round, over the
// skips p-1, p-2, ..., 1 of a circulant graph: an owner r hears from r+1, r+2, ..., p-1, and around
// from 0, 1, ..., r-1.
//
// What comes before the wrap goes to the right of what r has. What comes after it belongs to the
// left of all that, so it is summed up apart, in a second slot of scratch, and put before the rest
// at the end. That takes no reduction more, but makes two of the last round, and none of that of
// rank 0: where all ranks own something, they end one reduction later.
//
// No other skips can: if a rank hears from another one on the way, over a skip s > 1 because skip 1
// is the last and leads to the owner only, then it sums up contributions that are not neighbours.
#pragma once

#include "schedules/patterns/rounds.hpp"

namespace tutti::inline schedules {

// Takes everything from rank 0 on.
inline constexpr Place kLowerRanks{Buffer::scratch, 1};

// Where a contribution is received.
[[nodiscard]] inline Place place_of_contribution(Rank from) {
  return from == 0 ? kLowerRanks : kScratch;
}

// Takes what `owner` has received in this round from `from`.
inline void sum_in_order(Rounds& rounds, Rank owner, Rank from, const BlockSet& blocks) {
  if (from > owner) {
    rounds.reduce(owner, {blocks, kScratch, kWork}, Operand::right);
    return;
  }
  if (from > 0) {
    rounds.reduce(owner, {blocks, kScratch, kLowerRanks}, Operand::right);
  }
  if (from + 1 == owner) {
    rounds.reduce_at_end(owner, {blocks, kLowerRanks, kWork}, Operand::left);
  }
}

}  // namespace tutti::inline schedules
