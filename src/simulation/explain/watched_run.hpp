// Repeats a run with exactly the same results, and records what certain operations and links did.
#pragma once

#include "src/simulation/engine_run.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline simulation {

// Additional data for the repeated run to record.
struct Told {
  bool link_statistics = false;
  bool routes = false;  // routes of messages
};

// Repeats a run of the flow engine. `run` must include its schedule. `watched` lists the operations
// and links to record.
[[nodiscard]] EngineRun run_watched(const Simulation& run, WatchList watched, const Told& told);

}  // namespace tutti::inline simulation
