// The prices of a machine, measured by tiny schedules on the executor itself: what a message, a
// reduction and a copy cost in a schedule is what they cost here, the executor's own share
// included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/mpi/handles.hpp"
#include "sim/mpi/plan/curve_fit.hpp"
#include "sim/mpi/world.hpp"

namespace tutti::mpi {

struct CalibrationOptions {
  std::vector<std::uint64_t> sizes_bytes;  // ascending, whole elements, none 0
  std::uint32_t passes = 3;  // over everything, so that a disturbance hits one of them
  double budget_s = 0.02;    // for each point of each pass
};

// Two ranks to measure between.
struct Pair {
  Rank a = 0;
  Rank b = 1;
};
[[nodiscard]] std::optional<Pair> pair_within_node(const World& world);
[[nodiscard]] std::optional<Pair> pair_between_nodes(const World& world);

enum class Kind : std::uint8_t { one_way, exchange, reduce, copy };

// Times of one kind over the sizes: of each pass the lower quartile, of the passes the least; and
// how far the passes were apart, relative to it.
struct Series {
  std::vector<Sample> samples;
  std::vector<double> spread;
};

// Collective; the result is on rank 0. Messages go there and back (one_way), or both ways at once
// (exchange); reductions and copies are done by both ranks at once. Every operation of a run has a
// block of its own.
[[nodiscard]] std::vector<Series> measure_kinds(const World& world, const ElementHandles& handles,
                                                Pair pair, const std::vector<Kind>& kinds,
                                                const CalibrationOptions& options);

// Collective, on all ranks: the largest message that MPI lets its sender be done with while the
// receiver has posted nothing; nothing where not even the smallest is, `most_bytes` where all are.
[[nodiscard]] std::optional<std::uint64_t> largest_eager_bytes(const World& world, Pair pair,
                                                               std::uint64_t most_bytes);

}  // namespace tutti::mpi
