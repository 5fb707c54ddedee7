// Asks the proof under test about a draft.
#pragma once

#include "schedules/schedule.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/explore/draft.hpp"
#include "tests/schedules/explore/mutants.hpp"

namespace tutti::explore {

// Throws UserError for what no schedule can be: a cycle, blocks that do not exist.
[[nodiscard]] Schedule schedule_of(const Draft& draft);

// What verify() says of a draft for which `claims` are made. To lose the order of operands that was
// declared is a reason to refuse: users choose an algorithm by it. Nothing else that is declared
// is.
[[nodiscard]] Answer ask(const Draft& draft, const Claims& claims);

}  // namespace tutti::explore
