// A schedule: a DAG of operations in flat arrays, with 32-bit ids.
//
// Ids are a topological order: each operation has a larger id than those it depends on. An
// operation needs 20 bytes, its payload another 20, and its dependencies 4 bytes if they follow
// patterns (see schedules/dependency_rows.hpp). Otherwise, they need 8 bytes, and 8 bytes for each
// dependency.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "schedules/block_layout.hpp"
#include "schedules/dependency_rows.hpp"
#include "schedules/op.hpp"
#include "schedules/problem.hpp"
#include "schedules/repeated_rounds.hpp"

namespace tutti { inline namespace schedules {

struct ScheduleParts;  // defined in schedules/assemble.hpp

// An operation that has bytes but no blocks, and its line in the file.
struct BareOp {
  OpId op = kNoOp;
  std::uint32_t line = 0;

  friend bool operator==(const BareOp&, const BareOp&) = default;
};

class Schedule {
 public:
  Schedule(Schedule&&) noexcept;
  Schedule& operator=(Schedule&&) noexcept;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  ~Schedule();

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const BlockLayout& layout() const { return layout_; }
  [[nodiscard]] std::uint32_t ranks() const { return problem_.ranks; }
  // Number of switches that take part. They are numbered after the ranks: in operations, switch s
  // has number ranks() + s. A switch has no data at the start, need not have any at the end, has no
  // ports and does not run MPI.
  [[nodiscard]] std::uint32_t switches() const { return switches_; }
  // Number of ranks and switches.
  [[nodiscard]] std::uint32_t places() const { return problem_.ranks + switches_; }
  [[nodiscard]] std::uint32_t blocks() const { return layout_.blocks(); }
  // Number of scratch slots that the operations use. Each slot is as large as the vector.
  [[nodiscard]] std::uint32_t scratch_slots() const { return scratch_slots_; }

  [[nodiscard]] OpId size() const { return static_cast<OpId>(ops_.size()); }
  [[nodiscard]] std::span<const Op> ops() const { return ops_; }
  [[nodiscard]] const Op& op(OpId id) const { return ops_[id]; }

  // True if any operation uses other units than the first ones.
  [[nodiscard]] bool has_units() const { return !units_.empty(); }
  [[nodiscard]] Units units(OpId id) const { return units_.empty() ? Units() : units_[id]; }
  // Number of processors and of network interfaces of each rank: 1 more than the largest number
  // that an operation uses.
  [[nodiscard]] std::uint32_t cores() const { return cores_; }
  [[nodiscard]] std::uint32_t nics() const { return nics_; }

  // False if the payload was left out because only times were wanted, or if the schedule is bare.
  [[nodiscard]] bool has_payload() const { return !payloads_.empty() || ops_.empty(); }
  [[nodiscard]] const Payload& payload(OpId id) const { return payloads_[id]; }
  [[nodiscard]] std::span<const BlockPair> pool() const { return pool_; }
  // Returns the first message without blocks. If every message has blocks, returns the first other
  // operation without blocks; if all operations have blocks, returns nothing. If an operation is
  // returned, the schedule is bare (see schedules/bytes_only.hpp): it has no payload at all, so it
  // can be timed, but neither proved nor run on MPI.
  [[nodiscard]] const std::optional<BareOp>& bytes_only() const { return bytes_only_; }
  // Number of operations whose blocks are in the pool.
  [[nodiscard]] std::size_t pooled_ops() const { return pooled_ops_; }

  // The operations that `id` depends on, ascending. Each shares a rank with `id`, except possibly
  // in a schedule made by assemble(), which does not check this.
  [[nodiscard]] OpIds predecessors(OpId id) const { return predecessors_.row(id); }
  // The operations that depend on `id`, ascending.
  [[nodiscard]] OpIds successors(OpId id) const { return successors_.row(id); }
  [[nodiscard]] std::size_t dependencies() const { return dependencies_; }
  // Return all rows of predecessors() and successors().
  [[nodiscard]] const DependencyRows& predecessor_rows() const { return predecessors_; }
  [[nodiscard]] const DependencyRows& successor_rows() const { return successors_; }

  // Stretches from which rounds were left out. Empty unless the schedule was cut.
  [[nodiscard]] std::span<const RepeatedRounds> repeated() const { return repeated_; }

  // Totals over all operations.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
  [[nodiscard]] std::uint64_t bytes_reduced() const { return bytes_reduced_; }
  // Number of levels that hold a message.
  [[nodiscard]] std::uint32_t rounds() const { return rounds_; }

  // Turns this schedule into that of a problem of another size: the same operations, on blocks of
  // other sizes. Algorithm::one_shape must be true. The schedule must have payload, and as many
  // blocks as `layout`.
  void resize(Problem problem, BlockLayout layout);

  // Number of bytes of memory that the arrays use.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  friend Schedule link(ScheduleParts&&, std::uint32_t);
  Schedule();

  Problem problem_;
  BlockLayout layout_;
  std::uint32_t switches_ = 0;
  std::uint32_t scratch_slots_ = 0;
  std::uint32_t rounds_ = 0;
  std::vector<Op> ops_;
  std::vector<Payload> payloads_;
  std::vector<Units> units_;  // empty if all operations use the first units
  std::uint32_t cores_ = 1;
  std::uint32_t nics_ = 1;
  std::vector<BlockPair> pool_;
  std::optional<BareOp> bytes_only_;
  std::size_t pooled_ops_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t bytes_reduced_ = 0;
  std::size_t dependencies_ = 0;
  std::vector<RepeatedRounds> repeated_;
  DependencyRows predecessors_;
  DependencyRows successors_;
};

// True if the operation is a calculation of an application; Op::bytes() is then its time in
// nanoseconds.
[[nodiscard]] inline bool calculates(const Schedule& schedule, const Op& op) {
  return schedule.problem().collective == Collective::application && !op.is_comm();
}

// Calls visit(block_read, block_written) for each block of operation `id`, in order. Scratch
// indices are slot * blocks + block. The schedule must have payload.
template <typename Visit>
void for_each_block_pair(const Schedule& schedule, OpId id, Visit&& visit) {
  const Payload& payload = schedule.payload(id);
  if (schedule.op(id).pooled()) {
    for (const BlockPair& pair : schedule.pool().subspan(payload.from.first, payload.from.count)) {
      visit(pair.from, pair.into);
    }
    return;
  }
  const std::uint32_t blocks = schedule.blocks();
  const std::uint32_t base = payload.into_first / blocks * blocks;
  const std::uint32_t shift =
      (payload.into_first - base + blocks - payload.from.first % blocks) % blocks;
  for_each_block(payload.from, blocks, [&](std::uint32_t block) {
    const std::uint32_t moved = block % blocks + shift;
    visit(block, base + (moved < blocks ? moved : moved - blocks));
  });
}

}}  // namespace tutti::schedules
