// Asks the proof, which these tests examine, for its verdict on a draft.
#pragma once

#include "schedules/schedule.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/explore/draft.hpp"
#include "tests/schedules/explore/mutants.hpp"

namespace tutti::explore {

// Throws UserError if the draft cannot be a schedule: it has a cycle, or blocks that do not exist.
[[nodiscard]] Schedule schedule_of(const Draft& draft);

// Returns the answer of verify() for a draft with `claims`. A draft that loses the declared order
// of operands is refused, because users choose an algorithm by that order. No other broken claim is
// a reason to refuse.
[[nodiscard]] Answer ask(const Draft& draft, const Claims& claims);

}  // namespace tutti::explore
