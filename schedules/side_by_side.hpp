// Several schedules that run at the same time, each on its own part of one vector.
#pragma once

#include <span>

#include "schedules/problem.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Puts schedules side by side: schedule i solves `problem` for part i of the vector. If ranks own
// parts of the vector, each rank's part is cut into one piece for each schedule; otherwise the
// parts follow one another. All schedules must have the ranks, the root and the element size of
// `problem`, no switches, and together its bytes. Either all have payload, or none, and
// so does the result. If all schedules are correct, so is the result.
[[nodiscard]] Schedule side_by_side(const Problem& problem, std::span<const Schedule> schedules);

}}  // namespace tutti::schedules
