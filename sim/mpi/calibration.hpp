// The prices of a machine, measured by tiny schedules on the executor itself: what a message, a
// reduction and a copy cost in a schedule is what they cost here, the executor's own share
// included.
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
  std::vector<std::uint64_t> sizes_bytes;  // ascending, whole elements, none 0
  // Over everything, so that a disturbance hits one of them. From the third on, only what is not
  // settled yet is measured again; when nothing is left of that, it ends.
  std::uint32_t most_rounds = 100;
};

// What the measuring took and came to; on rank 0.
struct Effort {
  std::uint32_t rounds = 0;  // begun
  std::uint64_t runs = 0;    // of schedules
  std::uint64_t disturbed = 0;
  Coverage coverage;
};

// Two ranks to measure between.
struct Pair {
  Rank a = 0;
  Rank b = 1;
};
[[nodiscard]] std::optional<Pair> pair_within_node(const World& world);
[[nodiscard]] std::optional<Pair> pair_between_nodes(const World& world);

// Collective; the results are on rank 0: of each round the median of those of many runs that
// nothing disturbed, or where they are too few, the fastest. Nothing begins after `end_s` of rank
// 0's clock.
//
// Messages go there and back (one_way), or both ways at once (exchange); every operation of a run
// has a block of its own. Reductions and copies are done by both ranks at once, as in a collective.
// No vector is longer than the largest size: a kind that needs two blocks has none of that size.
[[nodiscard]] NearSeries measure_near(const World& world, const ElementHandles& handles, Pair pair,
                                      const CalibrationOptions& options, double end_s,
                                      Effort& effort);
// The messages alone. The copies beside them are those of measure_near().
[[nodiscard]] MessageSeries measure_far(const World& world, const ElementHandles& handles,
                                        Pair pair, const CalibrationOptions& options, double end_s,
                                        Effort& effort);

// Collective, on all ranks: the largest message that MPI lets its sender be done with while the
// receiver has posted nothing; nothing where not even the smallest is, `most_bytes` where all are.
[[nodiscard]] std::optional<std::uint64_t> largest_eager_bytes(const World& world, Pair pair,
                                                               std::uint64_t most_bytes);

}  // namespace tutti::mpi
