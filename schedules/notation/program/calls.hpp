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

namespace tutti::inline schedules::program {

// Thrown if an algorithm that the program calls cannot solve its problem.
struct CallRefusal {
  std::uint32_t place;
  const Algorithm* algorithm;
  Sentence why;
};

// One call. Pieces are the program's own blocks.
struct Call {
  std::uint32_t place = 0;
  std::uint32_t shape = 0;
  std::vector<Rank> members;
  // The blocks of the call: a run of pieces, or for each rank the pieces of its block (`blocks`).
  std::uint32_t first_piece = 0;
  std::uint32_t end_piece = 0;
  std::vector<VectorCut::Pieces> blocks;
  // The operations that the call has added, from `first` on: one copy of an input for each of
  // `kept`, then one operation for each of `origins`, which are operations of the part.
  OpId first = 0;
  std::vector<Rank> kept;  // ranks of the part whose input is copied
  std::vector<OpId> origins;

  [[nodiscard]] BlockPlaces pieces() const { return {nullptr, &blocks}; }
};

class Calls {
 public:
  // `problem` may be set later, before the first call. Both arguments must outlive this object.
  Calls(const Problem& problem, RunState& state) : problem_(problem), state_(state) {}

  // Evaluates a call. Throws Fault or CallRefusal.
  [[nodiscard]] Call resolve(const UseCode& code, const Numbers& slots,
                             const std::vector<Numbers>& lists, OperationBlocks& blocks);
  [[nodiscard]] const GroupPart& part(const Call& call) const { return shapes_[call.shape].part; }
  // Bytes of operation `id` of the call's part. Throws CallRefusal if the operation moves a block
  // to the place of a block of another size.
  [[nodiscard]] std::uint64_t bytes_of(const Call& call, OpId id, const BlockLayout& pieces) const;

  void add(Call&& call);
  [[nodiscard]] bool empty() const { return calls_.empty(); }
  // Cuts the blocks of `parts`, which are pieces, wherever a call cuts them, and sets the blocks of
  // each operation. Returns the number of scratch slots, of which `own_slots` are the program's
  // own.
  std::uint32_t cut_blocks(ScheduleParts& parts, std::uint32_t own_slots) const;

  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  // An algorithm and its problem, shared by all calls that have the same ones.
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
  std::vector<std::uint64_t> taken_;  // by rank: number of the last list with this rank, from 1
  std::uint64_t lists_ = 0;
  std::deque<Shape> shapes_;
  std::vector<Call> calls_;
  std::size_t memory_bytes_ = 0;
};

}  // namespace tutti::inline schedules::program
