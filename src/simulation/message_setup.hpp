// What a model of messages comes to for one run of the flow engine.
#pragma once

#include <memory>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// alpha, beta, gamma and copies of formulas: a small message over the platform's slowest route, a
// byte of a large one, and local work in the caches.
[[nodiscard]] Prices message_prices(const Machine& machine, const PlatformFacts& facts);

// What the library does beside a schedule of vectors of so many bytes, before it begins; 0 without
// Machine::messages.
[[nodiscard]] double library_start_s(const Machine& machine, std::uint64_t bytes);
// When the first operation of a run can start, whatever model of messages --parameters give.
[[nodiscard]] double run_starts_s(const Machine& machine, std::uint64_t bytes);

// Puts the ends of messages (Machine::messages) around the platform's `network`, the prices of
// local work into `setup`, and what the library does beside the schedule before its start.
void send_messages(const Schedule& schedule, const Machine& machine,
                   std::shared_ptr<Network>& network, FlowSetup& setup, RunSetup& run_setup);

}  // namespace tutti::inline simulation
