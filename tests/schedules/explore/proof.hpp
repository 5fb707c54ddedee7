// Asks the proof under test about a draft.
#pragma once

#include <optional>

#include "schedules/schedule.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/explore/draft.hpp"

namespace tutti::explore {

// Throws UserError for what no schedule can be: a cycle, blocks that do not exist.
[[nodiscard]] Schedule schedule_of(const Draft& draft);

}  // namespace tutti::explore
