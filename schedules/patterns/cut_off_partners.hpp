// Recursive doubling on a number of ranks that is not a power of two. At each level at most one
// group of `size` ranks, which begins at rank `first`, has an incomplete partner group: one that
// would extend beyond rank p - 1. In the group at `first`, only the first `served` ranks have a
// partner. They forward what they received to the rest of the group, down a tree.
#pragma once

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

struct CutOffPartners {
  // `group_size` is a power of two.
  CutOffPartners(std::uint32_t group_size, std::uint32_t p)
      : size(group_size), first(p / (2 * size) * (2 * size)) {
    served = first + size < p ? p - first - size : 0;
  }

  // Calls step() at the beginning of each step of the tree, and then visit(rank, to) for each
  // message of the step.
  template <typename Step, typename Visit>
  void for_each_hand_on(Step&& step, Visit&& visit) const {
    if (served == 0) {
      return;
    }
    for (std::uint32_t distance = size / 2; distance > 0; distance /= 2) {
      step();
      for (Rank rank = first; rank < first + size; ++rank) {
        const Rank to = rank ^ distance;
        const Rank tree_root = rank / (2 * distance) * (2 * distance);
        if (to > rank && rank < tree_root + served && to >= tree_root + served) {
          visit(rank, to);
        }
      }
    }
  }

  std::uint32_t size;
  Rank first;                // first rank of the group whose partner group is incomplete, if any
  std::uint32_t served = 0;  // number of ranks in the partner group; 0 if there are none
};

}}  // namespace tutti::schedules
