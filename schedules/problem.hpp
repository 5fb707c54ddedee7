// The problem that a schedule solves: a collective, a number of ranks, a number of bytes, and the
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
#include "schedules/options/node_links.hpp"
#include "schedules/options/operands.hpp"
#include "schedules/options/option.hpp"
#include "schedules/options/parts.hpp"
#include "schedules/options/protocol.hpp"
#include "schedules/options/ring_order.hpp"
#include "schedules/options/skips.hpp"
#include "schedules/options/stage_parts.hpp"
#include "schedules/options/tree.hpp"

namespace tutti { inline namespace schedules {

// Largest number of ranks. Linear algorithms use two levels per rank: one for a message, one for
// its answer.
inline constexpr std::uint32_t kMostRanks = (kMaxLevel + 1) / 2;
// Largest number of ranks in alltoallv, where every pair of ranks has its own block.
inline constexpr std::uint32_t kMostPairedRanks = 1U << 14U;

struct Problem {
  // Defaulted in the source file: otherwise, dozens of objects would each have this code.
  Problem();
  Problem(const Problem&);
  Problem(Problem&&) noexcept;
  Problem& operator=(const Problem&);
  Problem& operator=(Problem&&) noexcept;
  ~Problem();

  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  // Size in bytes of the largest buffer that any rank sends or receives; called n in formulas.
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 8;
  Rank root = 0;

  // The options of schedules/options/options.def, one member per option.
  Fold fold = Fold::neighbours;
  // Size of a segment; 0 if the vector is not segmented.
  std::uint64_t segment_bytes = 0;
  Skips skips;
  // Number of consecutive ranks on a node; called C in [schedule document].
  std::uint32_t ranks_per_node = 1;
  Tree tree = Tree::chain;
  // Sizes of the blocks: one per rank, or in alltoallv one per pair of ranks, where the block from
  // rank s to rank d has the index s*ranks + d. If empty, the vector is split evenly.
  std::vector<std::uint64_t> block_bytes;
  Cuts cuts = Cuts::even;
  TwoParts parts;
  // In each of the next four members, 0 means the algorithm's own default. This one is the k of
  // k-nomial and k-ary trees, the number of chains, or the base in which exchange algorithms write
  // rank numbers.
  std::uint32_t radix = 0;
  // Largest number of messages that a rank may have in flight.
  std::uint32_t throttle = 0;
  // Number of rings or trees that work at the same time.
  std::uint32_t channels = 0;
  // Largest number of blocks in a message.
  std::uint32_t aggregate = 0;
  Dims dims;
  Groups groups;
  StageParts within;
  StageParts across;
  HierarchyForm composition = HierarchyForm::han;
  Copies copies = Copies::all;
  Fallback fallback = Fallback::none;
  Operands operands = Operands::by_rank;
  Protocol protocol = Protocol::simple;
  // Number of network cards of a node; 0: one for each rank of the node.
  std::uint32_t cards = 0;
  RingOrder ring_order = RingOrder::own;
  NodeLinks node_links = NodeLinks::plain;

  // No option sets this one. True if the machine sends the messages of a connection one after
  // another, as NCCL does: an NCCL schedule may then have as many messages on their way as fit into
  // the buffer of a connection. Otherwise, messages share the links of the machine, and the first
  // of many would arrive as late as the last.
  bool in_order = false;

  [[nodiscard]] std::uint64_t elements() const { return bytes / element_bytes; }
  // Size of all blocks together: `bytes`, or in alltoallv the bytes that all ranks together send.
  [[nodiscard]] std::uint64_t vector_bytes() const;

  friend bool operator==(const Problem&, const Problem&);
};

// Returns the largest number of bytes that any rank sends or receives in alltoallv. `block_bytes`
// is as in Problem. Returns nothing if this number is more than a schedule can hold.
[[nodiscard]] std::optional<std::uint64_t> largest_buffer(
    const std::vector<std::uint64_t>& block_bytes, std::uint32_t ranks);

}}  // namespace tutti::schedules
