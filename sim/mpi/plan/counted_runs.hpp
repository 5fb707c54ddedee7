// Which of the runs count, on a machine that does other things too.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

// All runs of one kind that were done.
struct TimedRuns {
  RankTimes times;           // on rank 0; elsewhere empty
  std::vector<bool> clean;   // by run, the same on all ranks: whether nothing disturbed it
  std::uint32_t wanted = 0;  // so many clean ones were to be had

  // Adds runs of the same kind, measured again.
  void append(const TimedRuns& more);
};

// What remains of them to be told.
struct CountedRuns {
  // The clean runs. Where fewer than half of those wanted and fewer than 10 are clean, all runs: a
  // handful of lucky ones among many is no median of anything.
  RankTimes times;
  std::uint32_t done = 0;
  std::uint32_t disturbed = 0;
  // All count, disturbed as they are: the machine was too busy for their times to say anything.
  bool too_busy = false;

  [[nodiscard]] std::uint32_t left_out() const { return too_busy ? 0 : disturbed; }
};
[[nodiscard]] CountedRuns counted_runs(const TimedRuns& runs);

}  // namespace tutti::mpi
