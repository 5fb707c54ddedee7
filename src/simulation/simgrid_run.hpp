// Runs schedules with SimGrid. Only this module knows whether the build includes SimGrid.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/route_set.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

// The functions up to simgrid_version() throw UserError if the platform is invalid, or if this
// build has no SimGrid.
[[nodiscard]] EngineRun run_with_simgrid(const Schedule& schedule, const Machine& machine);
// Runs the flow engine on the routes that SimGrid loads.
[[nodiscard]] EngineRun run_flow_with_simgrid(const Schedule& schedule, const Machine& machine);
[[nodiscard]] MachineFacts describe_with_simgrid(const Machine& machine);

// The routes between the hosts of a machine's ranks, as SimGrid knows them.
struct RoutesInUse {
  std::shared_ptr<const RouteSet> routes;
  FlowSetup setup;
  MachineFacts facts;
  // The routes are those of the platform with these prices and changes.
  PriceOverrides prices;
  PlatformChanges changes;
  double load_s = 0;  // wall-clock time to load the platform
};
// Asks SimGrid for all routes between the hosts in use. Throws UserError also if two of them are
// not connected, or if the routes need too much memory.
[[nodiscard]] RoutesInUse routes_of_simgrid(const Machine& machine);
// Returns the names of the platform's hosts, in the order of the platform file.
[[nodiscard]] std::vector<std::string> host_names_of_simgrid(const Machine& machine);

// Returns the version of SimGrid in this build; "" without SimGrid.
[[nodiscard]] std::string_view simgrid_version();

// True if the machine's engine, or the SimGrid run that it is compared with, needs a platform that
// SimGrid has loaded.
[[nodiscard]] bool runs_on_simgrid_platform(const Machine& machine);

// A process that loads a platform once and serves many runs, for sweeps. Each run executes in a
// fork of that process, with a fresh clock, and returns bytes. The flow engine runs in the process
// itself if neither the user's prices nor the changes modify the platform.
class SimGridRuns {
 public:
  // Function that executes a run, in the process that has loaded the platform or in a fork of it.
  // It may use `engine` once. It sees the memory of the constructor's caller as it was when the
  // constructor was called.
  using Run = std::function<std::string(const std::string& request, const RunEngine& engine)>;

  // `machine` is complete except for the ranks. If its crossbar is made on the fly, the crossbar
  // must have as many hosts as the largest run needs. Throws UserError if the platform is invalid.
  // The process ends with the thread that constructed this object.
  SimGridRuns(const Machine& machine, Run run);
  SimGridRuns(const SimGridRuns&) = delete;
  SimGridRuns& operator=(const SimGridRuns&) = delete;

  // Runs one request. Throws what the run threw, or an error that says how its process ended.
  [[nodiscard]] std::string run(const std::string& request) { return run_(request); }

 private:
  std::function<std::string(const std::string&)> run_;
};

}}  // namespace tutti::simulation
