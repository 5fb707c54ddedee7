// Checks that a schedule computes what its collective demands, by running it on symbols instead of
// numbers. A value records which block it is of, and how often the input of each rank is in it.
#pragma once

#include <optional>
#include <string>

#include "schedules/schedule.hpp"

namespace tutti {

// Returns the first fault in words, or nothing if the schedule keeps its contract. The schedule
// must have payload.
[[nodiscard]] std::optional<std::string> contract_fault(const Schedule& schedule);

}  // namespace tutti
