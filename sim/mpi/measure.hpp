// Times of repeated runs, and what the last of them left behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sim/mpi/executor.hpp"
#include "sim/mpi/library_collective.hpp"
#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

inline constexpr std::uint32_t kAsManyAsFit = 0;

struct MeasureOptions {
  std::uint32_t warmup = 2;
  // kAsManyAsFit: into `budget_s`, by the time of the last warm-up; from 10 to 1000.
  std::uint32_t iterations = kAsManyAsFit;
  double budget_s = 0.3;
  const LibraryCollective* library = nullptr;  // to be timed in turn with ours; null: it is not
  // Called after each run of ours, warm-up included, on what it left in `work`: after its time was
  // taken, and before all buffers are filled afresh for the next.
  std::function<void(const std::byte* work)> after_run;
};

// On rank 0; elsewhere empty. Ours and the library's need not be as many.
struct Measured {
  RankTimes ours;
  RankTimes library;
  // Iterations left out: a rank was late at the start, or the system took the core from a rank
  // meanwhile. None where ranks share cores: there that is what is measured.
  std::uint32_t left_out = 0;
  std::uint32_t done = 0;  // in all, without warm-up, of ours and of the library's
};

// Collective. The buffers are filled afresh and the ranks start at one moment before every run,
// both outside the time. Where as many iterations are to be done as fit, those left out are made up
// for, up to twice as many in all and five times the budget. Where fewer than half and fewer than
// 10 are left, all count. Ours comes second in each iteration, so that afterwards `work` holds its
// result, and `record` its times.
[[nodiscard]] Measured measure(Executor& executor, const World& world,
                               const MeasureOptions& options);

}  // namespace tutti::mpi
