// What is asked for: a collective, on so many ranks, of so many bytes, with the algorithm's
// options.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/op.hpp"
#include "schedules/options/cuts.hpp"
#include "schedules/options/fold.hpp"
#include "schedules/options/option.hpp"
#include "schedules/options/parts.hpp"
#include "schedules/options/skips.hpp"
#include "schedules/options/tree.hpp"

namespace tutti {

// Linear algorithms give every message a level of its own, and answer each.
inline constexpr std::uint32_t kMostRanks = (kMaxLevel + 1) / 2;

struct Problem {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  // n: the largest buffer that any rank holds
  std::uint32_t element_bytes = 8;
  Rank root = 0;

  // The options of schedules/options/options.def, a member each.
  Fold fold = Fold::neighbours;
  std::uint64_t segment_bytes = 0;  // 0: the vector is not segmented
  Skips skips;
  std::uint32_t ranks_per_node = 1;  // C of [schedule document]
  Tree tree = Tree::chain;
  std::vector<std::uint64_t> block_bytes;  // empty: the even split
  Cuts cuts = Cuts::even;
  TwoParts parts;

  [[nodiscard]] std::uint64_t elements() const { return bytes / element_bytes; }

  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace tutti
