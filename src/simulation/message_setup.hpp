// Applies a message model (Machine::files.messages) to one run of the flow engine.
#pragma once

#include <memory>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// Returns the prices for formulas: alpha of a small message over the platform's slowest route, beta
// per byte of a large message, and the prices of reductions and copies for data in the caches.
[[nodiscard]] Prices message_prices(const Machine& machine, const PlatformFacts& facts);

// Returns the time of the library's work before a schedule whose vectors have `bytes` bytes, in
// seconds; 0 without a message model.
[[nodiscard]] double library_start_s(const Machine& machine, std::uint64_t bytes);
// Returns the time at which the first operation of a run can start, in seconds. The file of
// --parameters may contain cost curves or a message model.
[[nodiscard]] double run_starts_s(const Machine& machine, std::uint64_t bytes);

// Adds the model's costs of sending and receiving to the platform's `network`. Stores the prices of
// local work in `setup`. Sets the start of the run in `run_setup` to the duration of the library's
// work before the schedule.
void send_messages(const Schedule& schedule, const Machine& machine,
                   std::shared_ptr<Network>& network, FlowSetup& setup, RunSetup& run_setup);

}  // namespace tutti::inline simulation
