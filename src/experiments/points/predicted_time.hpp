// The simulated time that is compared with a measured one. Scores and fits use the same definition.
#pragma once

#include "src/simulation/engine_run.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline experiments {

// Returns the simulated seconds of the slowest rank. The measured time of a point is also that of
// the slowest rank.
[[nodiscard]] inline double predicted_s(const RunResult& result) { return result.simulated_s; }
[[nodiscard]] inline double predicted_s(const EngineRun& run) {
  return run.call_s.value_or(run.timeline.total_s);
}

}  // namespace tutti::inline experiments
