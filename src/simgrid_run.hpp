// The one place of the command line that knows whether SimGrid was built in.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "schedules/schedule.hpp"
#include "src/machine_options.hpp"

namespace tutti {

struct EngineRun {
  Timeline timeline;
  MachineFacts machine;
  double load_s = 0;                 // wall clock: reading the platform
  double simulate_s = 0;             // wall clock: the engine
  std::uint64_t peak_rss_bytes = 0;  // of a process that it ran in, if of its own
};

// Both throw UserError when the platform is at fault, or when SimGrid was not built in.
[[nodiscard]] EngineRun run_with_simgrid(const Schedule& schedule, const Machine& machine);
[[nodiscard]] MachineFacts describe_with_simgrid(const Machine& machine);

using RunEngine = std::function<EngineRun(const Schedule&)>;

// For sweeps: a process that loads a platform once. Each run happens in a fork of it, on a fresh
// clock, and returns bytes.
class SimGridRuns {
 public:
  // Called in the fork, where it may use `engine` once; sees what there was when this was made.
  using Run = std::function<std::string(std::size_t index, const RunEngine& engine)>;

  // `machine` says all but the ranks, and of a crossbar made on the fly the most hosts. Throws
  // UserError when the platform is at fault. It lives no longer than the thread that made it.
  SimGridRuns(const Machine& machine, Run run);
  ~SimGridRuns();
  SimGridRuns(const SimGridRuns&) = delete;
  SimGridRuns& operator=(const SimGridRuns&) = delete;

  // Throws what the run threw, or what became of its process.
  [[nodiscard]] std::string run(std::size_t index);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

[[nodiscard]] bool is_known_network_model(const std::string& name);

}  // namespace tutti
