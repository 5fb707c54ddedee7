// Maps the switches that take part in a schedule to switches of the platform.
#pragma once

#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// True if the platform declares switches that reduce and multicast (platforms/README.md), and the
// links that lead to them are known.
[[nodiscard]] bool has_reducing_switches(const Machine& machine);

// True if has_reducing_switches() is true, and the machine's engine and prices support these
// switches.
[[nodiscard]] bool runs_switches(const Machine& machine);
// True if reductions at these switches take time.
[[nodiscard]] bool switches_take_time(const Machine& machine);

// Throws UserError, which suggests a remedy, if switches take part in the schedule but the machine
// has none, or its engine or its prices do not support them.
void check_switches(const Schedule& schedule, const Machine& machine);

// Appends the schedule's switches to the ranks of `setup`, whose hosts must be set, and sets the
// cost of their reductions. A switch of the schedule that exchanges messages with ranks is mapped
// to the switch of their hosts. Any other switch is mapped to the lowest switch of the platform
// that is above the switches of all neighbours below it. Throws UserError if there is no such
// switch. The schedule must have passed check_switches().
void place_switches(const Schedule& schedule, const ClusterPlatform& platform, FlowSetup& setup);

}  // namespace tutti::inline simulation
