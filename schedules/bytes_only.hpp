// Bare schedules. A schedule is bare if an operation has bytes but no blocks, as in a sketch that
// does not say yet which data move. A bare schedule can be timed. Code that needs blocks uses these
// functions to report that they are missing.
#pragma once

#include <string>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Returns a text such as "Req(<0,0>,{0,1}) in line 9, of round 1, has 16 bytes and no blocks". The
// schedule must be bare.
[[nodiscard]] std::string bytes_only_text(const Schedule& schedule);

// Throws UserError if the schedule is bare: "'NAME': WHY: Req(<0,0>,{0,1}) in line 9, ...".
void refuse_bytes_only(const Schedule& schedule, std::string_view name, std::string_view why);

}}  // namespace tutti::schedules
