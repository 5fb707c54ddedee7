// Names of ranks and switches in messages.
#pragma once

#include <fmt/format.h>

#include <string>

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// "rank 3"; "switch 0" for a number after the last rank.
[[nodiscard]] inline std::string place_name(const Schedule& schedule, Rank place) {
  return place < schedule.ranks() ? fmt::format("rank {}", place)
                                  : fmt::format("switch {}", place - schedule.ranks());
}

}  // namespace tutti::inline schedules
