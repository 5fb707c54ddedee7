// PAT, parallel aggregated trees. All ranks send the same messages; the functions here compute
// which blocks each message has, and how far the message goes. Blocks are numbered by how far above
// a rank their owner is.
//
// Allgather: if 2^d is the lowest set bit of s, block s arrives from the rank 2^d above, where it
// is block s - 2^d. Each rank's block thus travels down a binomial tree. All ranks do the same step
// of all trees at once. The steps over the far dimensions come first, farthest first. A message of
// these steps has one block for each far offset reached before, but at most K blocks; K is the
// bound that --aggregate sets. Then the trees within the near dimensions are traversed from the
// top, each branch to its end before the next, so that a rank stores only a logarithmic number of
// blocks for others. In these steps, a message makes the same step of the trees at all far offsets,
// again with at most K blocks. Reduce-scatter: blocks travel up from the leaves, near dimensions
// first.
//
// Without a bound K, all dimensions but the nearest are far: ceil(lg p) messages. With a bound,
// there are at most kPatDepth * K far offsets, because NCCL's connections hold kPatDepth messages.
//
// Source: Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale",
// arXiv 2506.20252; NCCL 2.23 and later, src/include/collectives.h, PatAGAlgorithm and
// PatRSAlgorithm (stepSize in place of K, stepDepth = NCCL_STEPS in place of kPatDepth). For p =
// 2^k + 1 NCCL has one more near dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

struct PatMessage {
  // Distance to the receiver in rank numbers: down in an allgather, up in a reduce-scatter.
  std::uint32_t distance;
  // Number of the first block, by its owner's distance above the sender.
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t stride;
};

inline constexpr std::uint32_t kPatDepth = 8;

// These two functions return the messages of each rank, in the order in which they are sent.
// `aggregate` is the bound K (--aggregate), which is rounded down to a power of two; 0 means no
// bound.
[[nodiscard]] std::vector<PatMessage> pat_allgather(std::uint32_t ranks, std::uint32_t aggregate);
[[nodiscard]] std::vector<PatMessage> pat_reduce_scatter(std::uint32_t ranks,
                                                         std::uint32_t aggregate);

}}  // namespace tutti::schedules
