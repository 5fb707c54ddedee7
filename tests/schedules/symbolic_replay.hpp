// Checks that a schedule computes what its collective demands, by running it on symbols instead of
// numbers. A value records its block, and how often it contains the input of each rank.
#pragma once

#include <optional>
#include <string>

#include "schedules/schedule.hpp"

namespace tutti {

// Returns the first fault in words, or nothing if the schedule fulfils the contract of its
// collective. The schedule must have payload.
[[nodiscard]] std::optional<std::string> contract_fault(const Schedule& schedule);

}  // namespace tutti
