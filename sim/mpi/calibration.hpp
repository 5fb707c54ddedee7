// Measures the prices of a machine by running tiny schedules on the executor itself. So the cost of
// a message, a reduction and a copy is the same as in a real schedule, including the executor's
// share.
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
  std::vector<std::uint64_t> sizes_bytes;  // ascending multiples of the element size, none 0
  // Most rounds. A round measures everything once, so that a disturbance hits only one round. From
  // the third round on, only points that are not settled are measured again. Measuring ends when
  // all are settled.
  std::uint32_t most_rounds = 100;
};

// The effort of the measuring and its coverage; on rank 0.
struct Effort {
  std::uint32_t rounds = 0;  // rounds begun
  std::uint64_t runs = 0;    // runs of schedules
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

// Collective; the results are on rank 0. The result of a round is the median of its undisturbed
// runs, or the fastest run if these are too few. No run begins after `end_s` of rank 0's clock.
//
// Messages go back and forth (one_way), or in both directions at once (exchange). Each operation of
// a run has its own block. Both ranks do reductions and copies at once, as in a collective. No
// vector is longer than the largest size, so kinds that need two blocks have no result for that
// size.
[[nodiscard]] NearSeries measure_near(const World& world, const ElementHandles& handles, Pair pair,
                                      const CalibrationOptions& options, double end_s,
                                      Effort& effort);
// Measures messages only. Copies are those of measure_near().
[[nodiscard]] MessageSeries measure_far(const World& world, const ElementHandles& handles,
                                        Pair pair, const CalibrationOptions& options, double end_s,
                                        Effort& effort);

// Collective; returns the result on all ranks. Finds the largest message that its sender can finish
// while the receiver has posted nothing. Returns nothing if even the smallest message cannot be
// finished, and `most_bytes` if all can.
[[nodiscard]] std::optional<std::uint64_t> largest_eager_bytes(const World& world, Pair pair,
                                                               std::uint64_t most_bytes);

}  // namespace tutti::mpi
