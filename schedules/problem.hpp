// What is asked for: a collective, on so many ranks, of so many bytes, with the algorithm's
// options.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/op.hpp"
#include "schedules/options/composition.hpp"
#include "schedules/options/copies.hpp"
#include "schedules/options/cuts.hpp"
#include "schedules/options/dims.hpp"
#include "schedules/options/fallback.hpp"
#include "schedules/options/fold.hpp"
#include "schedules/options/groups.hpp"
#include "schedules/options/operands.hpp"
#include "schedules/options/option.hpp"
#include "schedules/options/parts.hpp"
#include "schedules/options/skips.hpp"
#include "schedules/options/stage_parts.hpp"
#include "schedules/options/tree.hpp"

namespace tutti::inline schedules {

// Linear algorithms give every message a level of its own, and answer each.
inline constexpr std::uint32_t kMostRanks = (kMaxLevel + 1) / 2;
// Of alltoallv, where every pair of ranks has a block of its own.
inline constexpr std::uint32_t kMostPairedRanks = 1U << 14U;

struct Problem {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  // n: the largest buffer that any rank sends or receives
  std::uint32_t element_bytes = 8;
  Rank root = 0;

  // The options of schedules/options/options.def, a member each.
  Fold fold = Fold::neighbours;
  std::uint64_t segment_bytes = 0;  // 0: the vector is not segmented
  Skips skips;
  std::uint32_t ranks_per_node = 1;  // C of [schedule document]
  Tree tree = Tree::chain;
  // Of each rank's block, in alltoallv of each pair's: what rank s has for rank d is at s*ranks +
  // d. Empty: the even split.
  std::vector<std::uint64_t> block_bytes;
  Cuts cuts = Cuts::even;
  TwoParts parts;
  // 0: the algorithm's own default
  std::uint32_t radix = 0;
  std::uint32_t throttle = 0;   // messages of a rank under way
  std::uint32_t channels = 0;   // rings or trees side by side
  std::uint32_t aggregate = 0;  // blocks in a message
  Dims dims;
  Groups groups;
  StageParts within;
  StageParts across;
  HierarchyForm composition = HierarchyForm::han;
  Copies copies = Copies::all;
  Fallback fallback = Fallback::none;
  Operands operands = Operands::by_rank;

  [[nodiscard]] std::uint64_t elements() const { return bytes / element_bytes; }
  // Of all blocks together: n, in alltoallv what all ranks have to send.
  [[nodiscard]] std::uint64_t vector_bytes() const;

  friend bool operator==(const Problem&, const Problem&) = default;
};

// Of the blocks of all pairs of ranks, as in Problem::block_bytes: the bytes of the rank that sends
// or receives most. Nothing where they are more than a schedule holds.
[[nodiscard]] std::optional<std::uint64_t> largest_buffer(
    const std::vector<std::uint64_t>& block_bytes, std::uint32_t ranks);

}  // namespace tutti::inline schedules
