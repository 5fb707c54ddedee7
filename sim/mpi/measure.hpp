// Measures the times of repeated runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sim/mpi/executor.hpp"
#include "sim/mpi/library_collective.hpp"
#include "sim/mpi/plan/counted_runs.hpp"

namespace tutti::mpi {

inline constexpr std::uint32_t kAsManyAsFit = 0;

struct MeasureOptions {
  std::uint32_t warmup = 2;
  // kAsManyAsFit: as many as fit into `budget_s`, judged by the fastest warm-up run; at least
  // `fewest` and at most 1000.
  std::uint32_t iterations = kAsManyAsFit;
  std::uint32_t fewest = 10;
  double budget_s = 0.3;
  // No run begins after this time of the common clock (rank 0's), even if runs are missing; 0: no
  // limit. One run is always done.
  double end_s = 0;
  const LibraryCollective* library = nullptr;  // timed in turn with the schedule; null: none
  // Called after each run of the schedule, including warm-up, with its result in `work`. The call
  // comes after the time was taken, and before all buffers are filled again for the next run.
  std::function<void(const std::byte* work)> after_run;
};

// Times without warm-up. A run is disturbed if a rank was late at the start, or if the system took
// the core from a rank meanwhile. If ranks share cores, no run counts as disturbed, because sharing
// is then part of what is measured.
struct Measured {
  TimedRuns ours;
  TimedRuns library;
  double now_s = 0;  // time of the common clock at the end; equal on all ranks
};

// Collective. Before every run, and outside the measured time, the buffers are filled again and the
// ranks agree on a common start. With kAsManyAsFit, further runs replace disturbed ones, up to
// twice the number of runs and five times the budget. The schedule runs second in each iteration,
// so that afterwards `work` holds its result and `record` its times.
[[nodiscard]] Measured measure(Executor& executor, const World& world,
                               const MeasureOptions& options);

}  // namespace tutti::mpi
