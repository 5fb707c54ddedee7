// The algorithms that a program calls among some of its ranks: which problem each call is, on which
// blocks, and the schedules that it takes.
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

namespace tutti::inline schedules::program {

// A problem that an algorithm which the program calls cannot serve.
struct CallRefusal {
  std::uint32_t place;
  const Algorithm* algorithm;
  Sentence why;
};

// One call. Pieces are the blocks that the program itself knows.
struct Call {
  std::uint32_t place = 0;
  std::uint32_t shape = 0;
  std::vector<Rank> members;
  // A run of pieces; or for each rank the pieces of its block.
  std::uint32_t first_piece = 0;
  std::uint32_t end_piece = 0;
  std::vector<VectorCut::Pieces> blocks;
  // What it has written: copies of what ranks keep of their input, one for each of `kept`, then
  // operations of the part.
  OpId first = 0;
  std::vector<Rank> kept;  // ranks of the part
  std::vector<OpId> origins;

  [[nodiscard]] BlockPlaces pieces() const { return {nullptr, &blocks}; }
};

class Calls {
 public:
  // `problem` may be set later, before the first call. Both must outlive this.
  Calls(const Problem& problem, RunState& state) : problem_(problem), state_(state) {}

  // Throws Fault, or CallRefusal.
  [[nodiscard]] Call resolve(const UseCode& code, const Numbers& slots,
                             const std::vector<Numbers>& lists, OperationBlocks& blocks);
  [[nodiscard]] const GroupPart& part(const Call& call) const { return shapes_[call.shape].part; }
  // Of an operation of its part. Throws CallRefusal where blocks of other sizes trade places.
  [[nodiscard]] std::uint64_t bytes_of(const Call& call, OpId id, const BlockLayout& pieces) const;

  void add(Call&& call);
  [[nodiscard]] bool empty() const { return calls_.empty(); }
  // Cuts the blocks of `parts`, which are pieces, wherever a call cuts them, and says of each
  // operation what it moves. Returns the slots of scratch; `own_slots` are the program's.
  std::uint32_t cut_blocks(ScheduleParts& parts, std::uint32_t own_slots) const;

  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  // An algorithm's problem, as several calls have it.
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
  std::vector<std::uint64_t> taken_;  // by rank: the last list that it was in, from 1
  std::uint64_t lists_ = 0;
  std::deque<Shape> shapes_;
  std::vector<Call> calls_;
  std::size_t memory_bytes_ = 0;
};

}  // namespace tutti::inline schedules::program
