// PAT, parallel aggregated trees: which blocks all ranks send how far, message by message. Blocks
// are told by how far above a rank their owner is.
//
// Allgather: block s comes to a rank over its lowest bit 2^d, from the rank 2^d above, which has it
// as block s - 2^d. So for each rank there is a binomial tree; ranks are alike, and do the same
// step of all trees at once. Steps over the far dimensions come first, farthest first, each with as
// many blocks in a message as there are far offsets behind it, at most K. Then the trees within the
// near dimensions are walked from the top, each branch to its end before the next, so that a rank
// keeps a logarithmic number of blocks for others; a message carries the same step of the trees at
// all far offsets, again at most K blocks. Reduce-scatter: blocks go up, from the leaves to the
// top, near dimensions first.
//
// With no bound all dimensions but the nearest are far: ceil(lg p) messages. With one, as many as
// have K far offsets, or kDepth K: NCCL's connections hold so many messages.
//
// Source: Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale",
// arXiv 2506.20252; NCCL 2.23 and later, src/include/collectives.h, PatAGAlgorithm and
// PatRSAlgorithm (stepSize in place of K, stepDepth = NCCL_STEPS in place of kDepth). For
// p = 2^k + 1 NCCL leaves a dimension more near.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules {

struct PatMessage {
  std::uint32_t distance;  // down in an allgather, up in a reduce-scatter
  std::uint32_t first;     // of the blocks, above the sender
  std::uint32_t count;
  std::uint32_t stride;
};

inline constexpr std::uint32_t kPatDepth = 8;

// --aggregate 0: no bound; else the largest power of two that is not above it.
[[nodiscard]] std::vector<PatMessage> pat_allgather(std::uint32_t ranks, std::uint32_t aggregate);
[[nodiscard]] std::vector<PatMessage> pat_reduce_scatter(std::uint32_t ranks,
                                                         std::uint32_t aggregate);

}  // namespace tutti::inline schedules
