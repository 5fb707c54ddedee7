// A vector of pieces that is cut wherever one of several algorithms cuts a run of pieces. The
// results are the blocks of a larger schedule, the whole (see group_calls.hpp). Also finds the
// blocks of the whole that make up the blocks of such an algorithm.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/block_layout.hpp"
#include "schedules/op.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// The blocks of the whole that make up each block of a part. `bounds` is used if the blocks of the
// whole are consecutive, else `lists`.
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

// BlockPlaces that owns its data.
struct OwnedPlaces {
  std::vector<std::uint32_t> bounds;  // empty if the blocks are not consecutive
  std::vector<std::vector<std::uint32_t>> lists;
  bool some_empty = false;  // true if some block has no pieces

  [[nodiscard]] BlockPlaces places() const { return {bounds.empty() ? nullptr : &bounds, &lists}; }
};

class VectorCut {
 public:
  using Pieces = std::vector<std::uint32_t>;

  // `piece_offsets`: the start of each piece in bytes, and the end of the last.
  explicit VectorCut(std::vector<std::uint64_t> piece_offsets);

  // Cuts the pieces from `first_piece` to `end_piece` - 1 at the bounds of `layout`, which must
  // have the same number of bytes as these pieces. Returns the index of the run.
  std::uint32_t add_run(const BlockLayout& layout, std::uint32_t first_piece,
                        std::uint32_t end_piece);
  // Must be called once, after all calls of add_run(). If `together` is not 0, each rank owns that
  // many consecutive pieces. Empty blocks are then added at the end of each rank's pieces, until
  // all ranks have the same number of blocks.
  void settle(std::uint32_t together);

  // The functions below require that settle() was called.
  [[nodiscard]] BlockLayout layout(std::uint32_t element_bytes) const;
  // The first block of each piece, and the end of the last.
  [[nodiscard]] const std::vector<std::uint32_t>& piece_bounds() const { return first_block_; }
  // The first block of the whole for each block of a run's layout, and the end of the last.
  [[nodiscard]] const std::vector<std::uint32_t>& run_bounds(std::uint32_t run) const {
    return runs_[run].places;
  }
  // Returns the blocks of the whole that make up each of the given blocks, which consist of pieces.
  [[nodiscard]] OwnedPlaces places_of(const std::vector<Pieces>& pieces_of_block) const;

 private:
  // A bound between two blocks of a run's layout: the piece in which the bound is, its offset in
  // that piece, and its index among equal bounds.
  struct PlacedBound {
    std::uint32_t piece = 0;
    std::uint64_t local_offset = 0;
    std::uint32_t repeated = 0;
  };
  struct Run {
    std::uint32_t first_piece = 0;
    std::uint32_t end_piece = 0;
    std::vector<PlacedBound> bounds;    // used until settle()
    std::vector<std::uint32_t> places;  // set by settle(); see run_bounds()
  };

  std::vector<std::uint64_t> piece_offsets_;
  std::vector<Run> runs_;
  // The start of each block, in bytes, and the end of the last one.
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> first_block_;
};

// The blocks of the whole that an operation of a part moves.
struct PlacedMove {
  // A contiguous run of blocks that keep their numbers, if `count` is not 0; otherwise, pairs.
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  // Scratch slots of the part.
  std::uint32_t from_slot = 0;
  std::uint32_t into_slot = 0;
};

// Places an operation of a part in the whole. If it does not move one contiguous run, fills `pairs`
// (without slots), which stays empty if there is nothing to move. Throws UnservedProblem if a block
// moves to the place of a block that consists of a different number of blocks of the whole.
[[nodiscard]] PlacedMove place_move(const Schedule& part, OpId id, const BlockPlaces& places,
                                    std::vector<BlockPair>& pairs);

}}  // namespace tutti::schedules
