// Decides which runs count, on a machine that may do other work too.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

// All runs of one kind.
struct TimedRuns {
  RankTimes times;           // on rank 0; elsewhere empty
  std::vector<bool> clean;   // by run, equal on all ranks: true if undisturbed
  std::uint32_t wanted = 0;  // number of undisturbed runs requested

  // Adds runs of the same kind, measured again.
  void append(const TimedRuns& more);
};

// The runs that count.
struct CountedRuns {
  // The clean runs. If fewer than 10, and fewer than half of those wanted, are clean: all runs,
  // because a few lucky runs among many do not give a meaningful median.
  RankTimes times;
  std::uint32_t done = 0;
  std::uint32_t disturbed = 0;
  // True if all runs count, including disturbed ones: the machine was too busy for reliable times.
  bool too_busy = false;

  [[nodiscard]] std::uint32_t left_out() const { return too_busy ? 0 : disturbed; }
};
[[nodiscard]] CountedRuns counted_runs(const TimedRuns& runs);

}  // namespace tutti::mpi
