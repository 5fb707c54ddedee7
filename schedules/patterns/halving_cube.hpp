// Recursive vector halving and distance doubling on the largest power of two of ranks, p', with the
// others folded in by halves: what Rabenseifner's reduce and allreduce share.
//
// Neighbours 2i and 2i+1 of the first 2(p-p') ranks make one virtual rank; the even one of them
// goes on, or the root if it is the odd one. At level l virtual rank v exchanges halves of what it
// still holds with v xor 2^l. Partial results always cover consecutive ranks, lower ones on the
// left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti {

class HalvingCube {
 public:
  // Where the result will be: after allgather() and unfold(), or after gather_to_root().
  enum class End : std::uint8_t { everywhere, at_root };
  HalvingCube(const Problem& problem, ScheduleBuilder& builder, End end);

  // count >= p': every virtual rank ends with an element of its own.
  static std::optional<std::string> refusal(const Problem& problem);
  static BlockLayout layout(const Problem& problem);  // p' blocks

  void fold();            // 2 rounds, if p is not a power of two
  void reduce_scatter();  // lg p' rounds
  void allgather();       // lg p' rounds, the exchanges of reduce_scatter() in reverse
  void unfold();          // 1 round, if p is not a power of two: the result to who was folded in
  void gather_to_root();  // lg p' rounds, instead of allgather(); then only the root has all

 private:
  [[nodiscard]] Rank base(std::uint32_t v) const;  // the rank that plays virtual rank v
  [[nodiscard]] Rank folded(std::uint32_t v) const { return base(v) ^ 1U; }  // v < removed_

  std::uint32_t base_ranks_;
  std::uint32_t removed_;
  std::uint32_t levels_;
  Rank root_;
  RankRange emitted_;  // virtual ranks
  Rounds rounds_;
  std::uint32_t width_;              // blocks that each virtual rank still holds
  std::vector<std::uint32_t> kept_;  // the first of them, by virtual rank
};

}  // namespace tutti
