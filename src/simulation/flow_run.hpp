// Runs the flow engine: on the built-in crossbar or a cluster, whose routes are known here, or on
// routes that SimGrid loads.
#pragma once

#include <optional>
#include <string>

#include "src/simulation/engine_run.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// Its routes are those of a platform that SimGrid loads.
[[nodiscard]] bool flow_needs_simgrid(const Machine& machine);

// It runs on the crossbar of the published formulas, whose hosts are known to be alike.
[[nodiscard]] bool flow_runs_on_crossbar(const Machine& machine);

// A cluster, without running anything on it.
[[nodiscard]] MachineFacts describe_cluster(const Machine& machine);

// Throws UserError when the platform is at fault, or when the engine does not model it.
[[nodiscard]] EngineRun run_with_flow(const Schedule& schedule, const Machine& machine);

// RunEngine::run_symmetric where its platform is made in this process; `machine` must outlive it.
[[nodiscard]] SymmetricRunner symmetric_flow(const Machine& machine);

// What messages take alone on the machine, whichever engine runs; empty where the routes, or the
// network model, are known to SimGrid only.
[[nodiscard]] OwnTimes own_times_on_routes(std::uint32_t ranks, const Machine& machine);

// What of the machine the flow engine does not model, in words; nothing if it models all.
[[nodiscard]] std::optional<std::string> flow_refusal(const Machine& machine);

}  // namespace tutti::inline simulation
