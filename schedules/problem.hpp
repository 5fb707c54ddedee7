// The problem that a schedule solves: a collective, the number of ranks and of bytes, and the
// algorithm's options.
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

// Largest number of ranks. Linear algorithms use two levels per rank: one for a message, one for
// its answer.
inline constexpr std::uint32_t kMostRanks = (kMaxLevel + 1) / 2;
// Largest number of ranks in alltoallv, where every pair of ranks has its own block.
inline constexpr std::uint32_t kMostPairedRanks = 1U << 14U;

struct Problem {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  // n: the largest buffer that any rank sends or receives
  std::uint32_t element_bytes = 8;
  Rank root = 0;

  // The options of schedules/options/options.def, one member per option.
  Fold fold = Fold::neighbours;
  std::uint64_t segment_bytes = 0;  // 0: the vector is not segmented
  Skips skips;
  std::uint32_t ranks_per_node = 1;  // C of [schedule document]
  Tree tree = Tree::chain;
  // Sizes of the blocks: one per rank, or in alltoallv one per pair of ranks, where the block from
  // rank s to rank d is at s*ranks + d. Empty: the even split.
  std::vector<std::uint64_t> block_bytes;
  Cuts cuts = Cuts::even;
  TwoParts parts;
  // In these four, 0 is the algorithm's own default.
  std::uint32_t radix = 0;
  std::uint32_t throttle = 0;   // most messages of a rank in flight
  std::uint32_t channels = 0;   // rings or trees side by side
  std::uint32_t aggregate = 0;  // most blocks in a message
  Dims dims;
  Groups groups;
  StageParts within;
  StageParts across;
  HierarchyForm composition = HierarchyForm::han;
  Copies copies = Copies::all;
  Fallback fallback = Fallback::none;
  Operands operands = Operands::by_rank;

  [[nodiscard]] std::uint64_t elements() const { return bytes / element_bytes; }
  // Size of all blocks together: n, or in alltoallv the bytes that all ranks send.
  [[nodiscard]] std::uint64_t vector_bytes() const;

  friend bool operator==(const Problem&, const Problem&) = default;
};

// Returns the bytes of the rank that sends or receives most, given the blocks of all pairs of ranks
// as in Problem::block_bytes. Returns nothing if a rank has more than a schedule can hold.
[[nodiscard]] std::optional<std::uint64_t> largest_buffer(
    const std::vector<std::uint64_t>& block_bytes, std::uint32_t ranks);

}  // namespace tutti::inline schedules
