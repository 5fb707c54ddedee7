// Prices with which closed forms are lower bounds of simulated times.
#pragma once

#include "src/simulation/machine.hpp"

namespace tutti { inline namespace experiments {

// Returns the prices of the fastest route (which may lie within a host), the widest link and the
// fastest host.
[[nodiscard]] Prices fastest_prices(const MachineFacts& facts, const Machine& machine);

// True if closed forms with fastest_prices() can be taken for lower bounds of simulated times: with
// a single port, which closed forms assume, messages that wait for their receivers, a known fastest
// route, and the network model hockney.
[[nodiscard]] bool formulas_hold(const Machine& machine);

}}  // namespace tutti::experiments
