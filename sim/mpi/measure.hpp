// Times of repeated runs, and what the last of them left behind.
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
  // kAsManyAsFit: into `budget_s`, by the time of the quickest warm-up; from `fewest` to 1000.
  std::uint32_t iterations = kAsManyAsFit;
  std::uint32_t fewest = 10;
  double budget_s = 0.3;
  // No run begins after this moment of the common clock (rank 0's), whatever is missing; 0: none
  // such. One run is done in any case.
  double end_s = 0;
  const LibraryCollective* library = nullptr;  // to be timed in turn with ours; null: it is not
  // Called after each run of ours, warm-up included, on what it left in `work`: after its time was
  // taken, and before all buffers are filled afresh for the next.
  std::function<void(const std::byte* work)> after_run;
};

// Without warm-up. A run is disturbed if a rank was late at the start, or the system took the core
// from a rank meanwhile. None is where ranks share cores: there that is what is measured.
struct Measured {
  TimedRuns ours;
  TimedRuns library;
  double now_s = 0;  // of the common clock, when all was over; the same on all ranks
};

// Collective. The buffers are filled afresh and the ranks start at one moment before every run,
// both outside the time. Where as many iterations are to be done as fit, disturbed ones are made up
// for, up to twice as many in all and five times the budget. Ours comes second in each iteration,
// so that afterwards `work` holds its result, and `record` its times.
[[nodiscard]] Measured measure(Executor& executor, const World& world,
                               const MeasureOptions& options);

}  // namespace tutti::mpi
