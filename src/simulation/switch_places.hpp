// Maps the switches that take part in a schedule to switches of the platform.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

// True if the platform has switches that reduce (MachineFiles::has_reducing_switches()), and their
// reductions take time.
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

// Returns the switch of each rank's host, and sets the cost of the switches' reductions.
[[nodiscard]] std::vector<std::uint32_t> switches_of_ranks(const ClusterPlatform& platform,
                                                           FlowSetup& setup);

}}  // namespace tutti::simulation
