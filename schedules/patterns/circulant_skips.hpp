// The skips of circulant graphs, and which blocks travel in which round.
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

namespace tutti::inline schedules {

// The skips of a scheme for p ranks, decreasing, without the p that the paper counts as the first.
// Halving: s = ceil(s/2). Doubling: powers of two. Linear: p-1, p-2, ..., 1. Sqrt: p - k*ceil(sqrt
// p) while that is above ceil(sqrt p), then halving. Or a list, 11,6,3,2,1. Throws UserError for a
// list that is not decreasing, does not end in 1, or leaves some 0 < i < p that is no sum of
// different skips; the first such i is named.
[[nodiscard]] std::vector<std::uint32_t> circulant_skips(const Skips& asked, std::uint32_t p);

// For Algorithm::remark of the reduce-scatters.
inline constexpr std::string_view kCorollary2Remark =
    "Corollary 2 of its source asks only that every i < p be a sum of different skips; with the "
    "ranges of Algorithm 1 that loses contributions, as on 7 ranks with skips 3,2,1. For such "
    "lists "
    "blocks travel in other rounds here, and the result is right";

// Whether they are p-1, p-2, ..., 1, by that name or one by one: the only ones that can keep the
// order of ranks. See sum_in_order.hpp.
[[nodiscard]] bool linear_skips(const Skips& asked, std::uint32_t p);

// For Algorithm::keeps_order of reduce-scatters, whose ranks end one reduction later for it: what
// other skips come to for p <= 3 does not count.
[[nodiscard]] bool keeps_order_by_skips(const Problem& problem);

// What a rank of theirs reduces on the longest path, in even blocks: all that is sent to it, and
// for the order of more than two ranks its own block once more.
[[nodiscard]] double circulant_reduced_bytes(const Problem& problem);

// For Algorithm::symmetry of the same.
[[nodiscard]] RankSymmetry rotation_unless_in_order(const Problem& problem);

// One round of the reduce-scatter phase: every rank r sends its partial results of blocks r + i to
// rank r + skip, for each i of a set that is the same for all ranks. The allgather phase takes the
// rounds in reverse, and every rank r sends blocks r + i - skip to rank r - skip.
struct CirculantRound {
  std::uint32_t skip = 0;
  std::uint32_t first = 0;  // i = first, ..., first + count - 1
  std::uint32_t count = 0;
  std::vector<std::uint32_t> scattered;  // the i, ascending, where they are not consecutive
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

// The rounds for p ranks; rounds in which nothing would be sent are left out. Contiguous ranges as
// in Algorithm 1 where each skip is at most twice the next (p counts as the first). Corollary 2's
// condition alone is not enough for those: p = 7 with skips 3, 2, 1 meets it and would lose
// contributions. For other lists, block i travels in the last round k for which i - s_k is a sum of
// later skips: it then arrives at a block that has not been sent itself.
[[nodiscard]] std::vector<CirculantRound> circulant_rounds(const std::vector<std::uint32_t>& skips,
                                                           std::uint32_t p);

// The reduce-scatter phase, with the copy that it starts with: it ends with the sum of block r in
// `work` at rank r, in rank order with linear skips. With Copies::half the first round sends out of
// the input, and the blocks that it sends are not copied: half of them with halving skips, which
// send no more than ceil(p/2) blocks in a round and leave as many; fewer with doubling skips where
// p is not a power of two.
void emit_circulant_reduce_scatter(const Problem& problem, Rounds& rounds,
                                   const std::vector<CirculantRound>& plan);
// What it copies at a rank, in even blocks.
[[nodiscard]] double circulant_copied_bytes(const Problem& problem,
                                            const std::vector<CirculantRound>& plan);

// The allgather phase: it starts with block r in `work` at rank r, and ends with all blocks
// everywhere.
void emit_circulant_allgather(Rounds& rounds, const std::vector<CirculantRound>& plan,
                              std::uint32_t p);

}  // namespace tutti::inline schedules
