// Computes the memory locations of an operation's blocks. A scratch buffer consists of consecutive
// slots, each as long as the vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti::mpi {

struct ByteRun {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const ByteRun&, const ByteRun&) = default;
};

// These functions return the bytes that operation `id` reads, and the bytes that it writes, in the
// order in which it does so. Neighbouring runs are joined, and empty blocks are left out. Both
// results have the same number of bytes.
[[nodiscard]] std::vector<ByteRun> runs_read(const Schedule& schedule, OpId id);
[[nodiscard]] std::vector<ByteRun> runs_written(const Schedule& schedule, OpId id);

// One step of a local operation, which reads `bytes` bytes at offset `from`, and copies or reduces
// them into the bytes at offset `into`.
struct ByteMove {
  std::uint64_t from = 0;
  std::uint64_t into = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const ByteMove&, const ByteMove&) = default;
};

// Returns the moves of a local operation: its runs, cut wherever a read run or a written run ends.
[[nodiscard]] std::vector<ByteMove> moves_of(const Schedule& schedule, OpId id);

// True if the moves must not be done one after the other, because an operation reads all its blocks
// before it writes any. The order matters within one buffer if a move writes bytes that another
// move reads. In a reduction, it also matters if a move writes bytes that the same move reads.
[[nodiscard]] bool needs_staging(const Op& op, const std::vector<ByteMove>& moves);

}  // namespace tutti::mpi
