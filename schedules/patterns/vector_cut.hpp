// A vector of pieces, cut wherever one of several algorithms cuts a run of them: the blocks of the
// whole. And where in the whole the blocks of such an algorithm are.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/block_layout.hpp"
#include "schedules/op.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// Blocks of the whole that a part's blocks are. `bounds` where those of all come one after the
// other; else `lists`.
struct BlockPlaces {
  const std::vector<std::uint32_t>* bounds = nullptr;
  const std::vector<std::vector<std::uint32_t>>* lists = nullptr;

  [[nodiscard]] std::uint32_t count(std::uint32_t block) const {
    return bounds != nullptr ? (*bounds)[block + 1] - (*bounds)[block]
                             : static_cast<std::uint32_t>((*lists)[block].size());
  }
  [[nodiscard]] std::uint32_t at(std::uint32_t block, std::uint32_t i) const {
    return bounds != nullptr ? (*bounds)[block] + i : (*lists)[block][i];
  }
};

// The same, with what it refers to.
struct OwnedPlaces {
  std::vector<std::uint32_t> bounds;  // none where the blocks do not come one after the other
  std::vector<std::vector<std::uint32_t>> lists;
  bool some_empty = false;  // a block of no pieces

  [[nodiscard]] BlockPlaces places() const { return {bounds.empty() ? nullptr : &bounds, &lists}; }
};

class VectorCut {
 public:
  using Pieces = std::vector<std::uint32_t>;

  // Where the pieces begin, in bytes, and the end.
  explicit VectorCut(std::vector<std::uint64_t> piece_offsets);

  // Cuts the pieces from `first_piece` to before `end_piece` where `layout` does, which is of as
  // many bytes. Returns the number of the run.
  std::uint32_t add_run(const BlockLayout& layout, std::uint32_t first_piece,
                        std::uint32_t end_piece);
  // Ends the cutting. Where ranks own so many pieces `together`, each the same number, empty blocks
  // come to the end of those until all have as many; 0: they own none.
  void settle(std::uint32_t together);

  // All of these are asked of what is settled.
  [[nodiscard]] BlockLayout layout(std::uint32_t element_bytes) const;
  // The first block of each piece, and the end.
  [[nodiscard]] const std::vector<std::uint32_t>& piece_bounds() const { return first_block_; }
  // The first block of each of the blocks of a run's layout, and the end.
  [[nodiscard]] const std::vector<std::uint32_t>& run_bounds(std::uint32_t run) const {
    return runs_[run].places;
  }
  // Of blocks that are made of pieces.
  [[nodiscard]] OwnedPlaces places_of(const std::vector<Pieces>& pieces_of_block) const;

 private:
  // A bound of a run's layout: a piece, a place in it, and which of those at that place.
  struct PlacedBound {
    std::uint32_t piece = 0;
    std::uint64_t local_offset = 0;
    std::uint32_t repeated = 0;
  };
  struct Run {
    std::uint32_t first_piece = 0;
    std::uint32_t end_piece = 0;
    std::vector<PlacedBound> bounds;    // until it is settled
    std::vector<std::uint32_t> places;  // then
  };

  std::vector<std::uint64_t> piece_offsets_;
  std::vector<Run> runs_;
  std::vector<std::uint64_t> offsets_;  // of the blocks, in bytes, and the end
  std::vector<std::uint32_t> first_block_;
};

// What an operation of a part moves, in the whole.
struct PlacedMove {
  // One run that keeps its numbers, if `count` is not 0; else there are pairs.
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  // In the part.
  std::uint32_t from_slot = 0;
  std::uint32_t into_slot = 0;
};

// `pairs` are filled where it is no run, without slots; none of them where nothing is to be moved.
// Throws UnservedProblem where blocks trade places that are not alike.
[[nodiscard]] PlacedMove place_move(const Schedule& part, OpId id, const BlockPlaces& places,
                                    std::vector<BlockPair>& pairs);

}  // namespace tutti::inline schedules
