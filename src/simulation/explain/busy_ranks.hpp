// Busy time of each rank.
#pragma once

#include <vector>

#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"

namespace tutti::inline simulation {

// Returns, for each rank, the time during which at least one of its operations was under way, in
// seconds.
[[nodiscard]] std::vector<double> busy_of_ranks(const Schedule& schedule, const Timeline& timeline);

}  // namespace tutti::inline simulation
