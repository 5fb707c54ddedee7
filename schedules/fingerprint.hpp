// What tells schedules apart, in a few digits: two with the same fingerprint take the same time on
// the same machine.
#pragma once

#include <string>

#include "schedules/rank_part.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// "whole:" and 16 digits. Of all operations, with their kinds, ranks, levels and bytes, and of what
// each comes after; Detail::payload: also of the blocks that each reads and writes.
[[nodiscard]] std::string fingerprint(const Schedule& schedule, Detail detail);
// "rank:" and 16 digits, of the part of one rank that stands for all.
[[nodiscard]] std::string fingerprint(const RankPart& part);

// Makes it anew. "" where ranks are not alike.
[[nodiscard]] std::string fingerprint_of_rank(const Algorithm& algorithm, const Problem& problem);

// The fingerprint that is to be compared with `known`: of the part of one rank where that is of
// one. "" where the algorithm refuses the problem, or ranks are not alike any more.
[[nodiscard]] std::string fingerprint_like(const std::string& known, const Algorithm& algorithm,
                                           const Problem& problem, Detail detail);

}  // namespace tutti::inline schedules
