// Defines drafts. A draft is a schedule that may be wrong, in plain vectors that any code may
// change. The class Schedule does not fit this purpose: it is immutable, and its builder refuses
// wrong schedules. The exhaustive search and the mutants work on drafts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedules/block_layout.hpp"
#include "schedules/problem.hpp"
#include "schedules/schedule.hpp"

namespace tutti::explore {

struct DraftOp {
  OpKind kind = OpKind::comm;
  Label label;
  Rank src = 0;
  Rank dst = 0;  // equal to src for a reduction or a copy
  Buffer from = Buffer::work;
  Buffer into = Buffer::work;
  Operand from_is = Operand::left;
  // For each block, the index that is read and the index that is written. The index of a block in
  // scratch is slot * blocks + block.
  std::vector<BlockPair> pairs;
  // Positions in the draft of the operations that must end before this one starts, ascending. Later
  // operations are allowed, so that a draft can have a cycle.
  std::vector<std::uint32_t> after;

  [[nodiscard]] bool touches(Rank rank) const { return src == rank || dst == rank; }
  [[nodiscard]] bool shares_rank(const DraftOp& other) const {
    return touches(other.src) || touches(other.dst);
  }
};

struct Draft {
  Problem problem;
  BlockLayout layout;
  std::uint32_t scratch_slots = 0;
  std::vector<DraftOp> ops;

  [[nodiscard]] std::uint32_t ranks() const { return problem.ranks; }
  [[nodiscard]] std::uint32_t blocks() const { return layout.blocks(); }
  // Each of the next three functions appends an operation and returns its position.
  std::uint32_t comm(Rank src, Rank dst, Place from, Place into, std::vector<BlockPair> pairs,
                     std::vector<std::uint32_t> after = {});
  std::uint32_t reduce(Rank rank, Place from, Place into, Operand from_is,
                       std::vector<BlockPair> pairs, std::vector<std::uint32_t> after = {});
  std::uint32_t copy(Rank rank, Place from, Place into, std::vector<BlockPair> pairs,
                     std::vector<std::uint32_t> after = {});

 private:
  std::uint32_t append(DraftOp op, Place from, Place into);
};

[[nodiscard]] Draft draft_of(const Schedule& schedule);

// Returns the reason why no MPI program can run the draft, or nothing if one can. Possible reasons
// are a message from a rank to itself, a place outside its buffer, a move between blocks of
// different sizes, a write to `input`, or a dependency between operations that share no rank.
[[nodiscard]] std::optional<std::string> malformed(const Draft& draft);

// Returns a text for the output of a failed test. The text of a draft has a line for each
// operation, such as "3: Req(<3,0>,{1,2}) = comm work[0]->scratch[0] after 1 2".
[[nodiscard]] std::string to_string(const Draft& draft);
[[nodiscard]] std::string to_string(const DraftOp& op);

}  // namespace tutti::explore
