// Compares, operation by operation, how the flow engine and SimGrid run one schedule.
#pragma once

#include "schedules/op.hpp"
#include "sim/timeline.hpp"

namespace tutti::inline simulation {

struct EngineComparison {
  // Largest difference between the two engines in the start or the end of an operation, as a share
  // of the longer total time.
  double worst = 0;
  OpId op = kNoOp;  // operation with that difference
  double simgrid_total_s = 0;
  double simgrid_wall_s = 0;

  static constexpr double kTolerance = 1e-6;
  double tolerance = kTolerance;

  [[nodiscard]] bool agrees() const { return worst <= tolerance; }
};

[[nodiscard]] EngineComparison compare_engines(const Timeline& flow, const Timeline& simgrid,
                                               double simgrid_wall_s,
                                               double tolerance = EngineComparison::kTolerance);

}  // namespace tutti::inline simulation
