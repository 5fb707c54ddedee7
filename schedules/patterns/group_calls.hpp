// Collectives among groups of ranks, one after the other and side by side, written as one schedule.
// A program that splits its communicator and calls collectives on the parts has such a schedule.
//
// The vector of the whole schedule ("the whole") is cut into pieces. A call is a collective by any
// algorithm, among any ranks, on one of two kinds of vector:
//   - a run of pieces, which the algorithm cuts further as it likes (allreduce, bcast, ...);
//   - blocks, mostly one per rank, each made of any pieces (gather, allgather, ...). Messages are
//     as large as their pieces, whatever block sizes the algorithm sees. A block without pieces is
//     not sent.
// The whole is cut wherever a call cuts. The schedule of each call is copied into the whole, and
// each of its blocks becomes one or more blocks of the whole.
//
// Every call has a turn. A rank begins a call after finishing all its calls of earlier turns.
// Within a turn, a rank makes its blocking calls one after the other. Its calls that are marked
// `beside` start together with the blocking calls, and the rank waits for them at the end of the
// turn. A plain program thus uses one turn per call. In a pipeline, the calls of one turn belong to
// different stages, and each works on a different segment (the tasks of Open MPI's coll/han). If
// two calls of one turn share a rank, their vectors must have no byte in common, because both calls
// address their data in scratch by the numbers of the whole's blocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/vector_cut.hpp"

namespace tutti { inline namespace schedules {

class GroupCalls {
 public:
  struct Call {
    const Algorithm* algorithm = nullptr;
    Problem problem;          // its ranks and root are indices in the group
    std::uint32_t group = 0;  // the index that add_group() returned for the group
    // The vector consists of the pieces from first_piece to end_piece - 1, or, if `blocks` is set,
    // the list of blocks that add_blocks() added with this index.
    std::uint32_t first_piece = 0;
    std::uint32_t end_piece = 0;
    std::optional<std::uint32_t> blocks;
    std::uint32_t stage = 0;    // calls of one stage have the same label levels
    std::uint32_t segment = 0;  // distinguishes calls of one stage that share ranks
    std::uint32_t turn = 0;     // at least the turn of the previous call
    bool beside = false;        // starts together with the other calls of its turn
    // The buffers that hold the input and the result. In an alltoall these two differ, and an extra
    // scratch slot holds the data between two stages.
    Buffer input = Buffer::input;
    Buffer result = Buffer::work;
  };
  using Pieces = VectorCut::Pieces;

  // `piece_bytes`: sizes of all pieces, in the order of the vector. If ranks own parts of the
  // vector, all ranks own the same number of pieces.
  GroupCalls(const Problem& problem, const std::vector<std::uint64_t>& piece_bytes);

  // Adds a group and returns its index. `members`: the rank of each member.
  std::uint32_t add_group(std::vector<Rank> members);
  // Adds a list of blocks, each given by its pieces in ascending order, and returns its index.
  std::uint32_t add_blocks(std::vector<Pieces> pieces_of_block);
  // Adds a call. Throws UserError if the algorithm cannot solve the call's problem, or if the call
  // has a list of blocks and the algorithm would divide these blocks further. Ignores a call with a
  // single rank, which has nothing to do except in an alltoall, where it copies its own block.
  void add(Call call);

  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  [[nodiscard]] const std::vector<Rank>& group(std::uint32_t index) const { return groups_[index]; }

  // Returns the number of bytes of the call's vector.
  [[nodiscard]] std::uint64_t bytes_of(const Call& call) const;

  [[nodiscard]] BlockLayout layout() const;
  void emit(ScheduleBuilder& builder) const;

 private:
  friend class GroupWriter;
  // An algorithm and a problem, which several calls may share.
  struct Shape {
    const Algorithm* algorithm = nullptr;
    Problem problem;
  };
  // A run of pieces, and the shape that cuts them.
  struct Run {
    std::uint32_t shape = 0;
    std::uint32_t first_piece = 0;
    std::uint32_t end_piece = 0;
    friend auto operator<=>(const Run&, const Run&) = default;
  };
  // The cut of the whole's vector into blocks.
  struct Cut {
    VectorCut vector;
    std::map<Run, std::uint32_t> runs;  // the index of each run in `vector`
  };

  std::uint32_t shape_of(const Call& call);
  [[nodiscard]] Cut cut() const;

  Problem problem_;
  // The start of each piece, in bytes, and the end of the last one.
  std::vector<std::uint64_t> piece_offsets_;
  std::vector<std::vector<Rank>> groups_;
  std::vector<std::vector<Pieces>> blocks_;
  std::vector<Shape> shapes_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> shape_of_call_;
};

}}  // namespace tutti::schedules
