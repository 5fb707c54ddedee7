// A schedule that may be broken: plain vectors that anyone may change, where Schedule is immutable
// and its builder refuses what is wrong. The exhaustive search and the mutants work on drafts.
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
  Rank dst = 0;  // == src for reduce and copy
  Buffer from = Buffer::work;
  Buffer into = Buffer::work;
  Operand from_is = Operand::left;
  std::vector<BlockPair> pairs;      // index read, index written; scratch: slot * blocks + block
  std::vector<std::uint32_t> after;  // positions in the draft, ascending; later ones are a cycle

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
  // Appends an operation and returns its position; `pairs` of one block unless given.
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

// Nothing, or why no MPI program can do this at all: a message to oneself, a place outside its
// buffer, a block for one of another size, a write to `input`, a dependency between operations that
// share no rank.
[[nodiscard]] std::optional<std::string> malformed(const Draft& draft);

// "Req(<3,0>,{1,2}) = comm work[0]->scratch[0] after 1 4", one line per operation: what a failed
// test prints.
[[nodiscard]] std::string to_string(const Draft& draft);
[[nodiscard]] std::string to_string(const DraftOp& op);

}  // namespace tutti::explore
