// A run again, the same to the last digit, which tells what it is to watch.
#pragma once

#include "src/simulation/engine_run.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline simulation {

// What it tells beside that.
struct Told {
  bool link_statistics = false;
  bool routes = false;  // that messages took
};

// Of a run by the flow engine that has its schedule.
[[nodiscard]] EngineRun run_watched(const Simulation& run, WatchList watched, const Told& told);

}  // namespace tutti::inline simulation
