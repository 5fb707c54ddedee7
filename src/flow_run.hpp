// Runs the flow engine: on routes that SimGrid loads, or on the built-in crossbar without SimGrid.
#pragma once

#include <optional>
#include <string>

#include "src/simgrid_run.hpp"

namespace tutti {

// Throws UserError when the platform is at fault, or when the engine does not model it.
[[nodiscard]] EngineRun run_with_flow(const Schedule& schedule, const Machine& machine);

// What of the machine the flow engine does not model, in words; nothing if it models all.
[[nodiscard]] std::optional<std::string> flow_refusal(const Machine& machine);

// Two runs of one schedule, by operation.
struct EngineComparison {
  double worst = 0;  // difference of a start or an end, over the total
  OpId op = kNoOp;   // where
  double simgrid_total_s = 0;
  double simgrid_wall_s = 0;

  static constexpr double kTolerance = 1e-6;
  [[nodiscard]] bool agrees() const { return worst <= kTolerance; }
};
[[nodiscard]] EngineComparison compare_engines(const Timeline& flow, const EngineRun& simgrid);

}  // namespace tutti
