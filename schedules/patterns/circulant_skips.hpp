// The skips of circulant graphs, and the blocks that travel in each round.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), Algorithm 1, Corollary 2 and the examples after it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedules/op.hpp"
#include "schedules/options/skips.hpp"
#include "schedules/patterns/rounds.hpp"
#include "schedules/symmetry.hpp"

namespace tutti { inline namespace schedules {

// Returns the skips of a scheme for p ranks in decreasing order, without the p that the paper
// counts as the first skip. Halving: each skip is half of the one before, rounded up. Doubling:
// powers of two. Linear: p-1, p-2, ..., 1. Sqrt: p - k*ceil(sqrt p) for k = 1, 2, ... while the
// result is above ceil(sqrt p), then halves of the last result. List: the skips that the user gave,
// for instance 11,6,3,2,1. Throws UserError if a list is not decreasing, does not end in 1, or if
// some 0 < i < p is not a sum of different skips; the error names the first such i.
[[nodiscard]] std::vector<std::uint32_t> circulant_skips(const Skips& request, std::uint32_t p);

// Value of Algorithm::remark for the circulant reduce-scatters.
inline constexpr std::string_view kCorollary2Remark =
    "Corollary 2 of the source requires only that every i < p be a sum of different skips. With "
    "the block ranges of Algorithm 1 such skips can lose contributions, for example 3,2,1 on 7 "
    "ranks. For such lists tutti sends blocks in other rounds, so that the result is right";

// True if the skips are p-1, p-2, ..., 1, given by name or as a list. Only these skips can keep the
// order of ranks; see sum_in_order.hpp.
[[nodiscard]] bool linear_skips(const Skips& request, std::uint32_t p);

// Implements Algorithm::keeps_order of the reduce-scatters: true for linear skips, given by name or
// as a list. Other schemes have the same skips for p <= 3 but do not keep the order, because that
// would cost one more reduction.
[[nodiscard]] bool keeps_order_by_skips(const Problem& problem);

// Number of bytes that a rank on the longest path reduces if all blocks are equal: all bytes that
// the rank receives, and, if there are more than two ranks and their order is kept, its own block
// once more.
[[nodiscard]] double circulant_reduced_bytes(const Problem& problem);

// Implements Algorithm::symmetry of the reduce-scatters.
[[nodiscard]] RankSymmetry rotation_unless_in_order(const Problem& problem);

// One round of the reduce-scatter phase: every rank r sends its partial results of blocks r + i to
// rank r + skip, for each i of a set that is the same for all ranks. The allgather phase runs the
// rounds in reverse: every rank r sends blocks r + i - skip to rank r - skip.
struct CirculantRound {
  std::uint32_t skip = 0;
  // If `scattered` is empty, the set is first, ..., first + count - 1.
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  // The set, ascending; empty if its numbers are consecutive.
  std::vector<std::uint32_t> scattered;
};

// Calls visit(i) for each i of the round, ascending.
template <typename Visit>
void for_each_index(const CirculantRound& round, Visit&& visit) {
  if (round.scattered.empty()) {
    for (std::uint32_t i = round.first; i < round.first + round.count; ++i) {
      visit(i);
    }
  } else {
    for (const std::uint32_t i : round.scattered) {
      visit(i);
    }
  }
}

// Returns the rounds for p ranks, without those in which nothing would be sent. If each skip, and p
// before the first one, is at most twice the following skip, the blocks of a round are a contiguous
// range, as in Algorithm 1. Corollary 2's condition alone is not enough for such ranges: p = 7 with
// the skips 3, 2, 1 meets the condition, but would lose contributions. For other lists, block r + i
// travels in the last round k for which i - s_k (s_k is the skip of round k) is a sum of later
// skips. At that time, the receiver has not yet sent this block.
[[nodiscard]] std::vector<CirculantRound> circulant_rounds(const std::vector<std::uint32_t>& skips,
                                                           std::uint32_t p);

// Emits the reduce-scatter phase and its initial copy. At the end `work` of rank r has the sum of
// block r, in rank order if the skips are linear. With Copies::half the first round sends from the
// input, and the blocks that it sends are not copied. With halving skips, this avoids half of the
// copies; with doubling skips, it avoids fewer if p is not a power of two.
void emit_circulant_reduce_scatter(const Problem& problem, Rounds& rounds,
                                   const std::vector<CirculantRound>& plan);
// Number of bytes that a rank copies in the reduce-scatter phase if all blocks are equal.
[[nodiscard]] double circulant_copied_bytes(const Problem& problem,
                                            const std::vector<CirculantRound>& plan);

// Emits the allgather phase. It starts with block r in `work` at rank r, and ends with all blocks
// at all ranks.
void emit_circulant_allgather(Rounds& rounds, const std::vector<CirculantRound>& plan,
                              std::uint32_t p);

}}  // namespace tutti::schedules
