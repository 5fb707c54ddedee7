// Sums in rank order of contributions that come directly from their ranks, one per round, over the
// skips p-1, p-2, ..., 1 of a circulant graph: owner r receives from r+1, r+2, ..., p-1, and then
// from 0, 1, ..., r-1.
//
// Contributions of higher ranks are combined as right operands with what r has. Those of lower
// ranks, which arrive later, must be left operands. They are first summed up separately, in a
// second slot of scratch, and combined with the rest at the end. The number of reductions is the
// same, but there are two in the last round, and none in the round that receives from rank 0. So if
// all ranks own a block, they finish one reduction later.
//
// No other skips can keep the order. With them, some contribution is combined at an intermediate
// rank. It arrives there over a skip s > 1, because skip 1 is the last and leads only to the owner.
// That rank then sums up contributions that are not neighbours.
#pragma once

#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

// Sum of the contributions of the lower ranks, from rank 0 on.
inline constexpr Place kLowerRanks{Buffer::scratch, 1};

// Returns the place where the contribution of `from` is received.
[[nodiscard]] inline Place place_of_contribution(Rank from) {
  return from == 0 ? kLowerRanks : kScratch;
}

// Combines what `owner` received from `from` in this round.
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

}}  // namespace tutti::schedules
