// Recursive vector halving and distance doubling without a fold: the ranks are parted into blocks
// of powers of two, the binary digits of p, the largest block first. Each block halves the vector
// down to one segment a rank on its own; segments of smaller blocks then go to the ranks of the
// next larger one that hold parts of them, which combine them with their own, until the largest
// block has the result. No rank sits aside, and none works for another; how uneven the work is
// depends on how far the sizes of neighbouring blocks are apart.
//
// Partial results always cover consecutive ranks, lower ones on the left. Schedule blocks: p', the
// ranks of the largest block; a rank of a block of 2^e ranks holds p'/2^e of them in the end.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 5.2; Rabenseifner, ICCS 2004.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::inline schedules {

class BinaryBlocks {
 public:
  enum class End : std::uint8_t { everywhere, at_root };
  BinaryBlocks(const Problem& problem, ScheduleBuilder& builder, End end);

  // One block is the halving cube of all ranks. For Algorithm::same_as.
  static std::string_view same_as(const Problem& problem);

  void reduce_scatter();  // in each block
  void merge();           // from the smallest block to the largest
  void spread();          // the result, from the largest block to the smallest
  void allgather();       // in each block
  // Instead of the last two. A root outside of the largest block takes the place of that block's
  // first rank, which hands it its segment.
  void gather_to_root();

 private:
  struct Block {
    Rank first;
    std::uint32_t levels;  // it has 2^levels ranks
    [[nodiscard]] std::uint32_t ranks() const { return 1U << levels; }
  };
  // What the v-th rank of a block of 2^levels ranks or more still holds when the first `levels`
  // bits of v have halved the vector.
  [[nodiscard]] BlockSet segment(std::uint32_t v, std::uint32_t levels) const;
  template <typename Visit>
  void for_each_exchange(std::uint32_t level, Visit&& visit) const;

  std::vector<Block> blocks_;  // the largest first
  std::uint32_t width_;        // p'
  Rank root_;
  Rounds rounds_;
};

}  // namespace tutti::inline schedules
