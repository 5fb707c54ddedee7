// The one place of the command line that knows whether SimGrid was built in.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/machine_options.hpp"

namespace tutti {

struct EngineRun {
  Timeline timeline;
  MachineFacts machine;
  double load_s = 0;                       // wall clock: reading the platform
  double simulate_s = 0;                   // wall clock: the engine
  std::uint64_t peak_rss_bytes = 0;        // of a process that it ran in, if of its own
  bool undisturbed = false;                // the times are those of alpha, beta and gamma alone
  std::vector<NamedLinkStatistics> links;  // of the flow engine, where asked for
};

// Both throw UserError when the platform is at fault, or when SimGrid was not built in. The engine
// is simgrid, or flow on the routes that SimGrid loads.
[[nodiscard]] EngineRun run_with_simgrid(const Schedule& schedule, const Machine& machine,
                                         EngineKind engine);
[[nodiscard]] MachineFacts describe_with_simgrid(const Machine& machine);

[[nodiscard]] bool is_known_network_model(const std::string& name);

}  // namespace tutti
