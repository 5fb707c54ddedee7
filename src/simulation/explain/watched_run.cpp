#include "src/simulation/explain/watched_run.hpp"

#include <memory>
#include <utility>

#include "base/error.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti::inline simulation {

EngineRun run_watched(const Simulation& run, WatchList watched, const Told& told) {
  Machine machine = run.result.machine;
  machine.record.link_statistics = told.link_statistics;
  machine.record.keep_routes = told.routes;
  machine.setup.ties = {};
  machine.setup.disturbance.repeat = 1;  // the seed is already that of the reported run
  machine.setup.watched = std::make_shared<const WatchList>(std::move(watched));
  EngineRun again = machine.engine->run(*run.schedule, machine, nullptr);
  if (again.timeline.total_s != run.timeline.total_s) {
    throw InvariantError("a run and its watched repetition take different times");
  }
  return again;
}

}  // namespace tutti::inline simulation
