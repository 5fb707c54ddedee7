// Times of repeated runs, and what the last of them left behind.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/mpi/executor.hpp"
#include "sim/mpi/library_collective.hpp"

namespace tutti::mpi {

struct MeasureOptions {
  std::uint32_t warmup = 0;
  std::uint32_t iterations = 1;
  const LibraryCollective* library = nullptr;  // to be timed in turn with ours; null: it is not
};

// By iteration, the slowest rank's seconds from the barrier before the run to its own last
// operation. On rank 0; elsewhere empty.
struct Measured {
  std::vector<double> ours_s;
  std::vector<double> library_s;
};

// Collective. The buffers are filled afresh and the ranks meet in a barrier before every run, both
// outside the time. Ours comes second in each iteration, so that afterwards `work` holds its
// result, and `record` its times.
[[nodiscard]] Measured measure(Executor& executor, const World& world,
                               const MeasureOptions& options);

// 0 for none.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace tutti::mpi
