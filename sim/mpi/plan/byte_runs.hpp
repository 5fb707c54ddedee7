// Memory locations of an operation's blocks. A scratch buffer holds its slots one after the other,
// each as long as the vector.
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

// Returns the bytes that operation `id` reads, in its order, and those that it writes. Neighbouring
// runs are joined, and empty blocks are left out. Both have the same number of bytes.
[[nodiscard]] std::vector<ByteRun> runs_read(const Schedule& schedule, OpId id);
[[nodiscard]] std::vector<ByteRun> runs_written(const Schedule& schedule, OpId id);

// One step of a local operation: `bytes` bytes from one offset to another.
struct ByteMove {
  std::uint64_t from = 0;
  std::uint64_t into = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const ByteMove&, const ByteMove&) = default;
};

// Returns the moves of a local operation: its runs, cut where a run ends on either side.
[[nodiscard]] std::vector<ByteMove> moves_of(const Schedule& schedule, OpId id);

// True if the moves must not be done one after the other. An operation reads all its blocks before
// it writes any. This matters within one buffer, if a move writes what another move reads, or, in a
// reduction, what it reads itself.
[[nodiscard]] bool needs_staging(const Op& op, const std::vector<ByteMove>& moves);

}  // namespace tutti::mpi
