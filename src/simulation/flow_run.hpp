// Runs the flow engine on the built-in crossbar or a cluster, whose routes are known without
// SimGrid, or on routes that SimGrid loads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "platforms/network.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

// True if the flow engine needs a platform that SimGrid has loaded.
[[nodiscard]] bool flow_needs_simgrid(const Machine& machine);
// True if the flow engine runs on the crossbar of the published formulas, whose hosts are all
// alike.
[[nodiscard]] bool flow_runs_on_crossbar(const Machine& machine);

// Describes a cluster without running a schedule on it.
[[nodiscard]] MachineFacts describe_cluster(const Machine& machine);

// The network on which the flow engine runs, with the user's prices and changes, and the places of
// the ranks.
struct FlowNetwork {
  std::shared_ptr<Network> network;
  FlowSetup setup;
};
// Asks SimGrid for all routes if flow_needs_simgrid(); throws what routes_of_simgrid() throws.
[[nodiscard]] FlowNetwork flow_network(std::uint32_t ranks, const Machine& machine);
// If flow_needs_simgrid(), asks SimGrid for all routes and keeps them in the machine, so that any
// number of runs need SimGrid only once. The machine's ranks, prices and changes must stay.
void ask_for_routes(Machine& machine);

// Runs the flow engine. Throws UserError if the platform is invalid, or if the engine does not
// model it. `in_order` is FlowSetup::in_order; it has no effect if flow_needs_simgrid().
[[nodiscard]] EngineRun run_with_flow(const Schedule& schedule, const Machine& machine,
                                      bool in_order = false);

// Returns the engine flow in which messages follow each other (FlowSetup::in_order). Users cannot
// name it. It simulates all ranks, because one rank of each class does not show which messages have
// the same receiver.
[[nodiscard]] const EngineType& flow_in_order();

// Returns how much later than the first rank the last one can leave the barrier of $after_barrier,
// in seconds: no rank leaves before all have entered, and then the barrier takes no longer than one
// that all enter together. The machine must have a message model.
[[nodiscard]] double latest_start_s(const Machine& machine);

// Returns the function for RunEngine::run_symmetric, which is empty if only SimGrid can load the
// platform. `machine` must outlive the result.
[[nodiscard]] SymmetricRunner symmetric_flow(const Machine& machine);

// Returns a function for the time that each operation takes alone on the machine, whichever engine
// simulates the run. The result is empty if only SimGrid knows the routes or the network model.
[[nodiscard]] OwnTimes own_times_on_routes(std::uint32_t ranks, const Machine& machine);

// Names the part of the machine that the flow engine does not model; returns nothing if the engine
// models the whole machine.
[[nodiscard]] std::optional<std::string> flow_refusal(const Machine& machine);

}}  // namespace tutti::simulation
