// Names of ranks and switches for the output, such as error messages and tables.
#pragma once

#include <fmt/format.h>

#include <string>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Returns "rank 3", or "switch 0" for the first number after the ranks.
[[nodiscard]] inline std::string place_name(const Schedule& schedule, Rank place) {
  return place < schedule.ranks() ? fmt::format("rank {}", place)
                                  : fmt::format("switch {}", place - schedule.ranks());
}

}}  // namespace tutti::schedules
