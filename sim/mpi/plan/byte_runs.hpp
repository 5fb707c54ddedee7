// Where the blocks of an operation lie in memory. A buffer of scratch holds its slots one after
// the other, each as long as the vector.
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

// What operation `id` reads, in its order, and what it writes; neighbours joined, empty blocks left
// out. Both have the same bytes in all.
[[nodiscard]] std::vector<ByteRun> runs_read(const Schedule& schedule, OpId id);
[[nodiscard]] std::vector<ByteRun> runs_written(const Schedule& schedule, OpId id);

// One step of a local operation: `bytes` bytes from one offset to another.
struct ByteMove {
  std::uint64_t from = 0;
  std::uint64_t into = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const ByteMove&, const ByteMove&) = default;
};

// The runs of a local operation, cut where either side ends.
[[nodiscard]] std::vector<ByteMove> moves_of(const Schedule& schedule, OpId id);

// An operation reads all its blocks before it writes any. Whether doing one move after the other
// would break that: in one buffer, what a move writes is read by another one, or, for a reduction,
// by itself.
[[nodiscard]] bool needs_staging(const Op& op, const std::vector<ByteMove>& moves);

}  // namespace tutti::mpi
