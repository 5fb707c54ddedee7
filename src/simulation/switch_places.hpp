// Which switches of a platform those are that take part in a schedule.
#pragma once

#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// The platform declares switches that reduce and multicast (platforms/README.md), and it is known
// which links lead to them.
[[nodiscard]] bool has_reducing_switches(const Machine& machine);

// And its engine and its prices know of them.
[[nodiscard]] bool runs_switches(const Machine& machine);
// They take time for what they reduce.
[[nodiscard]] bool switches_take_time(const Machine& machine);

// Throws UserError, which says what would do, where switches take part in the schedule and the
// machine has none, or its engine or its prices know of none.
void check_switches(const Schedule& schedule, const Machine& machine);

// Puts the switches of the schedule behind the ranks of `setup`, whose hosts are known, and what
// their reductions cost: one that has messages of ranks is the switch of their hosts; any other the
// lowest that is above all below it. Throws UserError where there is no such switch. The schedule
// must have passed check_switches().
void place_switches(const Schedule& schedule, const ClusterPlatform& platform, FlowSetup& setup);

}  // namespace tutti::inline simulation
