// What is refused before anything is sent.
#pragma once

#include <optional>
#include <string>

#include "schedules/schedule.hpp"
#include "sim/mpi/plan/element.hpp"

namespace tutti::mpi {

// Why this schedule cannot run, as one line; nothing if it can. Refused is what the proof refuses:
// a dependency that shares no rank (nobody could wait for it), a race, a wrong result; and an
// operator that does not commute where the schedule does not combine in rank order.
[[nodiscard]] std::optional<std::string> refusal(const Schedule& schedule, const Element& element);

}  // namespace tutti::mpi
