// Bare schedules: those in which an operation has bytes and no blocks, as they are drawn before
// anyone has said which data move. A bare schedule can be timed; what asks for its data says by
// these sentences what is missing.
#pragma once

#include <string>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// "Req(<0,0>,{0,1}) in line 9, of round 1, has 16 bytes and no blocks". The schedule must be bare.
[[nodiscard]] std::string bytes_only_text(const Schedule& schedule);

// Throws UserError where the schedule is bare: "'a.sched': WHY: Req(<0,0>,{0,1}) in line 9, ...".
void refuse_bytes_only(const Schedule& schedule, std::string_view name, std::string_view why);

}  // namespace tutti::inline schedules
