// Does a schedule achieve what its collective demands? It is run on symbols instead of numbers: a
// value is how often the input of each rank is in it, and which block of the input it was.
#pragma once

#include <optional>
#include <string>

#include "schedules/schedule.hpp"

namespace tutti {

// The first fault, in words; nothing when the contract is kept. The schedule must have payload.
[[nodiscard]] std::optional<std::string> contract_fault(const Schedule& schedule);

}  // namespace tutti
