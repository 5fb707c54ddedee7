// Decides which runs count on a machine that may also do other work.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

// All runs of one kind.
struct TimedRuns {
  RankTimes times;           // empty on all ranks except rank 0
  std::vector<bool> clean;   // by run: true if undisturbed; equal on all ranks
  std::uint32_t wanted = 0;  // number of undisturbed runs requested

  // Adds later runs of the same kind.
  void append(const TimedRuns& more);
};

// The times of the runs that count, and the numbers of all runs and of disturbed runs.
struct CountedRuns {
  // Times of the clean runs. If fewer than 10 runs are clean, and also fewer than half of the
  // wanted number, these are the times of all runs, because the median of a few lucky runs among
  // many is not meaningful.
  RankTimes times;
  std::uint32_t done = 0;
  std::uint32_t disturbed = 0;
  // True if all runs count, including disturbed ones, because the machine was too busy for reliable
  // times.
  bool too_busy = false;

  [[nodiscard]] std::uint32_t left_out() const { return too_busy ? 0 : disturbed; }
};
[[nodiscard]] CountedRuns counted_runs(const TimedRuns& runs);

}  // namespace tutti::mpi
