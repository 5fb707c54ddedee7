// Folds the extra ranks of a hypercube (see hypercube_fold.hpp) into the other ranks. In a separate
// round, each extra rank sends its contribution to its proxy. The contribution is the left operand
// if the extra rank is lower than the proxy, else the right operand.
#pragma once

#include "schedules/patterns/hypercube_fold.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

inline void fold_in(Rounds& rounds, const HypercubeFold& cube, const BlockSet& blocks) {
  if (cube.extras() == 0) {
    return;
  }
  rounds.next();
  for (std::uint32_t i = 0; i < cube.extras(); ++i) {
    const Rank extra = cube.extra(i);
    const Rank proxy = cube.proxy(i);
    rounds.comm(extra, proxy, {blocks, kWork, kScratch});
    rounds.reduce(proxy, {blocks, kScratch, kWork}, extra < proxy ? Operand::left : Operand::right);
  }
}

}}  // namespace tutti::schedules
