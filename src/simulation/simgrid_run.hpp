// The one place of the command line that knows whether SimGrid was built in.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// All throw UserError when the platform is at fault, or when SimGrid was not built in.
[[nodiscard]] EngineRun run_with_simgrid(const Schedule& schedule, const Machine& machine);
// The flow engine, on the routes that SimGrid loads.
[[nodiscard]] EngineRun run_flow_with_simgrid(const Schedule& schedule, const Machine& machine);
[[nodiscard]] MachineFacts describe_with_simgrid(const Machine& machine);
// What the hosts of the machine's platform are called, in the order of the XML.
[[nodiscard]] std::vector<std::string> host_names_of_simgrid(const Machine& machine);

// The one that this was built with; "" where it was built without.
[[nodiscard]] std::string_view simgrid_version();

// Whether the machine's engine, or the judge of it, needs a platform that SimGrid loaded.
[[nodiscard]] bool runs_on_simgrid_platform(const Machine& machine);

// For sweeps: a process that loads a platform once. Each run returns bytes. It happens in a fork of
// that process, on a fresh clock; or, of the flow engine without prices of the user's, in it.
class SimGridRuns {
 public:
  // Called in that process or fork, where it may use `engine` once; sees what there was when this
  // was made.
  using Run = std::function<std::string(const std::string& request, const RunEngine& engine)>;

  // `machine` says all but the ranks, and of a crossbar made on the fly the most hosts. Throws
  // UserError when the platform is at fault. It lives no longer than the thread that made it.
  SimGridRuns(const Machine& machine, Run run);
  ~SimGridRuns();
  SimGridRuns(const SimGridRuns&) = delete;
  SimGridRuns& operator=(const SimGridRuns&) = delete;

  // Throws what the run threw, or what became of its process.
  [[nodiscard]] std::string run(const std::string& request);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::inline simulation
