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
  // Number of runs. kAsManyAsFit: the number that fits into `budget_s`, estimated from the fastest
  // warm-up run, but at least `fewest` and at most 1000.
  std::uint32_t iterations = kAsManyAsFit;
  std::uint32_t fewest = 10;
  double budget_s = 0.3;
  // No run begins after this time of the common clock (rank 0's), even if fewer runs than requested
  // are done by then; 0: no limit. At least one run is always done.
  double end_s = 0;
  // If not null, the library's collective is timed too, alternating with the schedule.
  const LibraryCollective* library = nullptr;
  // Called after each run of the schedule, including warm-up runs, with the result of the run in
  // `work`. The call is not part of the measured time, and comes before the buffers are filled
  // again for the next run.
  std::function<void(const std::byte* work)> after_run;
};

// The times of all runs except warm-up runs. A run is disturbed if a rank was late at the start, or
// if the system took the core from a rank during the run. If ranks share cores, no run counts as
// disturbed, because sharing is then part of what is measured.
struct RunTimes {
  TimedRuns ours;
  TimedRuns library;
  double now_s = 0;  // time of the common clock after the last run; equal on all ranks
};

// Times runs of the schedule. All ranks must call this. Before every run, and outside the measured
// time, the buffers are filled again and the ranks agree on a common start. With kAsManyAsFit,
// additional runs replace disturbed runs, up to twice the number of runs and five times the budget.
// In each iteration, the schedule runs after the library's collective, so that at the end work()
// and record() of the executor are those of the schedule's last run.
[[nodiscard]] RunTimes measure(Executor& executor, const World& world,
                               const MeasureOptions& options);

}  // namespace tutti::mpi
