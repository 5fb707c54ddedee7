// Measures the prices of a machine by running tiny schedules with the executor. So the measured
// cost of a message, a reduction or a copy includes the executor's share, as in a real schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/mpi/handles.hpp"
#include "sim/mpi/plan/figures.hpp"
#include "sim/mpi/world.hpp"

namespace tutti::mpi {

struct CalibrationOptions {
  std::vector<std::uint64_t> sizes_bytes;  // ascending multiples of the element size, not 0
  // Maximum number of rounds. A round measures everything once, so that a disturbance affects only
  // one round. From the third round on, only points that are not settled (round_times.hpp) are
  // measured again. Measuring ends when all points are settled.
  std::uint32_t most_rounds = 100;
};

// The effort of a calibration, and how many of its points were measured. The values are valid only
// on rank 0.
struct Effort {
  std::uint32_t rounds = 0;  // number of rounds begun
  std::uint64_t runs = 0;    // number of runs of schedules
  std::uint64_t disturbed = 0;
  Coverage coverage;
};

// Two ranks between which to measure.
struct Pair {
  Rank a = 0;
  Rank b = 1;
};
[[nodiscard]] std::optional<Pair> pair_within_node(const World& world);
[[nodiscard]] std::optional<Pair> pair_between_nodes(const World& world);

// measure_near() measures messages and local operations, measure_far() only messages. All ranks
// must call these two functions. They return the results on rank 0. The result of a round is the
// median of its undisturbed runs, or the fastest run if there are too few undisturbed runs. No run
// begins after the time `end_s` of rank 0's clock.
//
// Messages go back and forth (one_way), or in both directions at once (exchange). Each operation of
// a run has its own block. Both ranks do reductions and copies at the same time, as in a
// collective. No vector is longer than the largest size, so kinds of runs that need two blocks have
// no result for that size.
[[nodiscard]] NearSeries measure_near(const World& world, const ElementHandles& handles, Pair pair,
                                      const CalibrationOptions& options, double end_s,
                                      Effort& effort);
// `pair` must be on two nodes. The cost of local operations comes from measure_near().
[[nodiscard]] MessageSeries measure_far(const World& world, const ElementHandles& handles,
                                        Pair pair, const CalibrationOptions& options, double end_s,
                                        Effort& effort);

// All ranks must call this, and all get the result. Finds the largest message that its sender can
// finish before the receiver has posted a receive. Returns nothing if even the smallest message
// cannot be finished, and `most_bytes` if all messages can.
[[nodiscard]] std::optional<std::uint64_t> largest_eager_bytes(const World& world, Pair pair,
                                                               std::uint64_t most_bytes);

}  // namespace tutti::mpi
