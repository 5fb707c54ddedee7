// The DAG that everything else reads: immutable, in flat arrays, with 32-bit ids.
//
// Operations stand in an order in which each comes after all it depends on: id order is a
// topological order. Memory, with payload: 48 bytes per operation (20 the operation, 20 its
// payload, 8 two row starts) and 4 per dependency and direction.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "schedules/block_layout.hpp"
#include "schedules/op.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules {

struct ScheduleParts;  // schedules/assemble.hpp

// An operation that was given bytes and no blocks, and the line of the file in which that stands.
struct BareOp {
  OpId op = kNoOp;
  std::uint32_t line = 0;

  friend bool operator==(const BareOp&, const BareOp&) = default;
};

class Schedule {
 public:
  Schedule(Schedule&&) noexcept = default;
  Schedule& operator=(Schedule&&) noexcept = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  ~Schedule() = default;

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const BlockLayout& layout() const { return layout_; }
  [[nodiscard]] std::uint32_t ranks() const { return problem_.ranks; }
  // Switches that take part. They stand behind the ranks: switch s is the end ranks() + s of an
  // operation. They begin with nothing, owe nothing, and neither have ports nor run MPI.
  [[nodiscard]] std::uint32_t switches() const { return switches_; }
  // Ranks and switches.
  [[nodiscard]] std::uint32_t places() const { return problem_.ranks + switches_; }
  [[nodiscard]] std::uint32_t blocks() const { return layout_.blocks(); }
  // Slots of scratch that the operations use: memory per rank is this many vectors at most.
  [[nodiscard]] std::uint32_t scratch_slots() const { return scratch_slots_; }

  [[nodiscard]] OpId size() const { return static_cast<OpId>(ops_.size()); }
  [[nodiscard]] std::span<const Op> ops() const { return ops_; }
  [[nodiscard]] const Op& op(OpId id) const { return ops_[id]; }

  // False where an emitter left the payload out because only time was wanted, and of a bare
  // schedule.
  [[nodiscard]] bool has_payload() const { return !payloads_.empty() || ops_.empty(); }
  [[nodiscard]] const Payload& payload(OpId id) const { return payloads_[id]; }
  [[nodiscard]] std::span<const BlockPair> pool() const { return pool_; }
  // The first message without blocks (if only other operations have none, the first of those),
  // where there is one. Then the schedule is bare (schedules/bytes_only.hpp): it has no payload at
  // all, so it has times, but nothing can be proved of it and MPI cannot run it.
  [[nodiscard]] const std::optional<BareOp>& bytes_only() const { return bytes_only_; }
  // Payloads that did not fit {first, count, run, stride}.
  [[nodiscard]] std::size_t pooled_ops() const { return pooled_ops_; }

  // What `id` comes after, ascending. Every one shares a rank with it, unless the schedule was
  // assembled from parts, of which that is not asked.
  [[nodiscard]] std::span<const OpId> predecessors(OpId id) const { return predecessors_.row(id); }
  // What comes after `id`, ascending.
  [[nodiscard]] std::span<const OpId> successors(OpId id) const { return successors_.row(id); }
  [[nodiscard]] std::size_t dependencies() const { return predecessors_.ids.size(); }

  // Sums over all operations.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
  [[nodiscard]] std::uint64_t bytes_reduced() const { return bytes_reduced_; }
  // Levels that hold a message.
  [[nodiscard]] std::uint32_t rounds() const { return rounds_; }

  // Makes it the schedule of a problem of another size: same operations, on blocks of other sizes.
  // For algorithms of one shape (schedules/algorithm.hpp). The schedule must have payload, and as
  // many blocks as `layout`.
  void resize(Problem problem, BlockLayout layout);

  // Bytes of the flat arrays.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  friend Schedule link(ScheduleParts&&, std::uint32_t);
  Schedule() = default;

  // A row of ids for each operation, one after the other.
  struct Rows {
    std::vector<std::uint32_t> starts;  // and the end of the last
    std::vector<OpId> ids;
    [[nodiscard]] std::span<const OpId> row(OpId id) const {
      return {ids.data() + starts[id], starts[id + 1] - starts[id]};
    }
  };

  Problem problem_;
  BlockLayout layout_;
  std::uint32_t switches_ = 0;
  std::uint32_t scratch_slots_ = 0;
  std::uint32_t rounds_ = 0;
  std::vector<Op> ops_;
  std::vector<Payload> payloads_;
  std::vector<BlockPair> pool_;
  std::optional<BareOp> bytes_only_;
  std::size_t pooled_ops_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t bytes_reduced_ = 0;
  Rows predecessors_;
  Rows successors_;
};

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

}  // namespace tutti::inline schedules
