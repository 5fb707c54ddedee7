// Recursive vector halving and distance doubling without folding. The ranks are partitioned into
// blocks whose sizes are powers of two (the binary digits of p), the largest block first. Each
// block halves the vector on its own until each of its ranks holds one segment. Then each smaller
// block sends its segments to the next larger block, whose ranks combine the parts with their own
// segments, until the largest block has the result. No rank is idle or works for another rank. The
// imbalance of the work depends on how much the sizes of neighbouring blocks differ.
//
// Partial results always cover consecutive ranks, lower ranks on the left. The schedule cuts the
// vector into p' parts, where p' is the number of ranks of the largest block. A rank of a block of
// 2^e ranks ends up with p'/2^e parts.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 5.2; Rabenseifner, ICCS 2004.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

class BinaryBlocks {
 public:
  enum class End : std::uint8_t { everywhere, at_root };
  BinaryBlocks(const Problem& problem, ScheduleBuilder& builder, End end);

  // Implements Algorithm::same_as: with a single block, this is the halving cube over all ranks.
  static std::string_view same_as(const Problem& problem);

  // Reduce-scatter within each block.
  void reduce_scatter();
  // Combines the results of the blocks, from the smallest block to the largest.
  void merge();
  // Distributes the result, from the largest block to the smallest.
  void spread();
  // Allgather within each block.
  void allgather();
  // Replaces spread() and allgather(). If the root is outside the largest block, the first rank of
  // that block sends its segment to the root, which then acts in place of this rank.
  void gather_to_root();

 private:
  struct Block {
    Rank first;
    std::uint32_t levels;  // the block has 2^levels ranks
    [[nodiscard]] std::uint32_t ranks() const { return 1U << levels; }
  };
  // Returns the part of the vector that the v-th rank of a block still holds after `levels`
  // halvings. A 0 in bit l of v selects the first half at level l, a 1 the second half.
  [[nodiscard]] BlockSet segment(std::uint32_t v, std::uint32_t levels) const;
  template <typename Visit>
  void for_each_exchange(std::uint32_t level, Visit&& visit) const;

  // The blocks, the largest first.
  std::vector<Block> blocks_;
  std::uint32_t width_;  // p', the number of parts of the vector
  Rank root_;
  Rounds rounds_;
};

}}  // namespace tutti::schedules
