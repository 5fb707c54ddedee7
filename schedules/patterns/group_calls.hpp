// Collectives among groups of ranks, one after the other and side by side, written as one schedule:
// what a program does that splits its communicator and calls collectives on the parts.
//
// The vector of the whole is cut into pieces. A call is a collective by any algorithm, among any
// ranks, on one of two kinds of vector:
//   - a run of pieces, which the algorithm cuts further as it likes (allreduce, bcast, ...);
//   - blocks, mostly one for each of its ranks, each made of any pieces (gather, allgather, ...).
//     Whatever sizes the algorithm sees, what it moves is as large as the pieces are, and a block
//     may be of no pieces at all: then there is nothing to send.
// The whole is cut wherever a call cuts, and each part's schedule is copied into it, block for
// blocks.
//
// Every call has a turn. A rank begins a call when it is done with all it did in turns before; in
// the same turn it makes one blocking call after the other, and beside them those that are begun at
// once and waited for at the turn's end. So a plain program takes a turn for each call, and a
// pipeline a turn for all stages of which each has another segment (Open MPI's coll/han: tasks).
// Calls of one turn that share a rank must have vectors that share no byte: their scratch is that
// of the bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/vector_cut.hpp"

namespace tutti::inline schedules {

class GroupCalls {
 public:
  struct Call {
    const Algorithm* algorithm = nullptr;
    Problem problem;          // among the group
    std::uint32_t group = 0;  // see add_group()
    // A run of pieces; or where `blocks` is one, what add_blocks() gave.
    std::uint32_t first_piece = 0;
    std::uint32_t end_piece = 0;
    std::optional<std::uint32_t> blocks;
    std::uint32_t stage = 0;    // calls of a stage have levels in common
    std::uint32_t segment = 0;  // tells calls of a stage apart that share ranks
    std::uint32_t turn = 0;     // never less than that of the call before
    bool beside = false;        // others of its turn
    // Where it finds its input, and where it leaves its result: in an alltoall, which has two
    // places, what is between two stages is in a scratch of its own.
    Buffer input = Buffer::input;
    Buffer result = Buffer::work;
  };
  using Pieces = VectorCut::Pieces;

  // `piece_bytes`: of all pieces, in the order of the vector. Where ranks own parts of it, each has
  // as many of them.
  GroupCalls(const Problem& problem, const std::vector<std::uint64_t>& piece_bytes);

  // Ranks by their number in the group.
  std::uint32_t add_group(std::vector<Rank> members);
  // Pieces of each block, ascending.
  std::uint32_t add_blocks(std::vector<Pieces> pieces_of_block);
  // Throws UserError where the algorithm cannot serve it, and for one that has other blocks. A
  // group of one rank has nothing to do.
  void add(Call call);

  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  [[nodiscard]] const std::vector<Rank>& group(std::uint32_t index) const { return groups_[index]; }

  // Of its vector.
  [[nodiscard]] std::uint64_t bytes_of(const Call& call) const;

  [[nodiscard]] BlockLayout layout() const;
  void emit(ScheduleBuilder& builder) const;

 private:
  friend class GroupWriter;
  // An algorithm's problem, as several calls have it.
  struct Shape {
    const Algorithm* algorithm = nullptr;
    Problem problem;
  };
  // Where a call on a run of pieces cuts them.
  struct Run {
    std::uint32_t shape = 0;
    std::uint32_t first_piece = 0;
    std::uint32_t end_piece = 0;
    friend auto operator<=>(const Run&, const Run&) = default;
  };
  // The blocks of the whole.
  struct Cut {
    VectorCut vector;
    std::map<Run, std::uint32_t> runs;  // of `vector`
  };

  std::uint32_t shape_of(const Call& call);
  [[nodiscard]] Cut cut() const;

  Problem problem_;
  std::vector<std::uint64_t> piece_offsets_;  // bytes, and the end
  std::vector<std::vector<Rank>> groups_;
  std::vector<std::vector<Pieces>> blocks_;
  std::vector<Shape> shapes_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> shape_of_call_;
};

}  // namespace tutti::inline schedules
