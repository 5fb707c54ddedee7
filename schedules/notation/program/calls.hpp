// The algorithms that a program calls among some of its ranks: the problem, the blocks and the
// schedule of each call.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/operation_blocks.hpp"
#include "schedules/notation/program/run_state.hpp"
#include "schedules/patterns/group_part.hpp"
#include "schedules/patterns/vector_cut.hpp"

namespace tutti { inline namespace schedules { namespace program {

// Thrown if an algorithm that the program calls cannot solve its problem.
struct CallRefusal {
  std::uint32_t place;
  const Algorithm* algorithm;
  Sentence why;
};

// One call. The program's own blocks are called pieces here.
struct Call {
  std::uint32_t place = 0;
  std::uint32_t shape = 0;
  std::vector<Rank> members;
  // The blocks of the call: either the pieces from `first_piece` to `end_piece` - 1, or, if
  // `blocks` is not empty, the pieces of each rank's block that `blocks` lists.
  std::uint32_t first_piece = 0;
  std::uint32_t end_piece = 0;
  std::vector<VectorCut::Pieces> blocks;
  // The call has added operations from id `first` on: for each rank in `kept` one copy of the
  // rank's input, then one operation for each entry of `origins`, which has ids of operations in
  // the call's part (see Calls::part()).
  OpId first = 0;
  // Ranks of the call's part whose input is copied.
  std::vector<Rank> kept;
  std::vector<OpId> origins;

  [[nodiscard]] BlockPlaces pieces() const { return {nullptr, &blocks}; }
};

class Calls {
 public:
  // The contents of `problem` may change until the first call. Both arguments must outlive this
  // object.
  Calls(const Problem& problem, RunState& state) : problem_(problem), state_(state) {}

  // Evaluates a call. Throws Fault or CallRefusal.
  [[nodiscard]] Call resolve(const UseCode& code, const Numbers& slots,
                             const std::vector<Numbers>& lists, OperationBlocks& blocks);
  [[nodiscard]] const GroupPart& part(const Call& call) const { return shapes_[call.shape].part; }
  // Returns the number of bytes of operation `id` of the call's part, the schedule part(call).
  // Throws CallRefusal if the operation moves a block to the place of a block of another size.
  [[nodiscard]] std::uint64_t bytes_of(const Call& call, OpId id, const BlockLayout& pieces) const;

  void add(Call&& call);
  [[nodiscard]] bool empty() const { return calls_.empty(); }
  // Replaces the pieces in `parts` by smaller blocks, so that a new block begins wherever a call
  // cuts a piece, and sets the blocks of each operation. `own_slots` is the number of scratch slots
  // of the program itself. Returns the number of slots of the program and of all calls.
  std::uint32_t cut_blocks(ScheduleParts& parts, std::uint32_t own_slots) const;

  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  // An algorithm and its problem, shared by all calls with this algorithm and problem.
  struct Shape {
    const Algorithm* algorithm;
    Problem problem;
    GroupPart part;
  };

  [[nodiscard]] std::vector<Rank> members_of(const UseCode& code, const Numbers& list);
  [[nodiscard]] Problem problem_of(const UseCode& code, const Numbers& slots,
                                   const std::vector<Rank>& members) const;
  void set_run(Call& call, const UseCode& code, const std::vector<std::uint32_t>& blocks) const;
  void set_shares(Call& call, const UseCode& code, const std::vector<std::uint32_t>& blocks,
                  const std::vector<Numbers>& lists) const;
  std::uint32_t shape_of(const UseCode& code, const Problem& problem, bool on_shares);

  const Problem& problem_;
  RunState& state_;
  // For each rank: the number of the latest list of members that contains the rank. This finds
  // ranks that are listed twice. Lists are numbered from 1 in the order of the calls; 0 means none.
  std::vector<std::uint64_t> taken_;
  std::uint64_t lists_ = 0;
  std::deque<Shape> shapes_;
  std::vector<Call> calls_;
  std::size_t memory_bytes_ = 0;
};

}}}  // namespace tutti::schedules::program
