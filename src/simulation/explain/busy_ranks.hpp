// How long each rank had something to do.
#pragma once

#include <vector>

#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"

namespace tutti::inline simulation {

// By rank, the time with at least one of its operations under way.
[[nodiscard]] std::vector<double> busy_of_ranks(const Schedule& schedule, const Timeline& timeline);

}  // namespace tutti::inline simulation
