// A schedule whose ranks have changed places.
#pragma once

#include <span>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Returns the schedule in which rank order[r] does what rank r does in `schedule`; `order` has each
// rank once. Blocks that ranks own change owners with them, so that a correct schedule stays
// correct for a commutative operator; the order of operands follows `order`. The root becomes
// order[root]. Throws UserError if ranks own blocks of different sizes, or for an alltoallv, whose
// blocks belong to pairs.
[[nodiscard]] Schedule permuted(const Schedule& schedule, std::span<const Rank> order);

}}  // namespace tutti::schedules
