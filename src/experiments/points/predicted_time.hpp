// Which of a run's times stands beside a measured one: there is one answer for scores and for fits.
#pragma once

#include "src/simulation/engine_run.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline experiments {

// Points are about the slowest rank.
[[nodiscard]] inline double predicted_s(const RunResult& result) { return result.simulated_s; }
[[nodiscard]] inline double predicted_s(const EngineRun& run) {
  return run.call_s.value_or(run.timeline.total_s);
}

}  // namespace tutti::inline experiments
