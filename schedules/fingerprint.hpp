// Fingerprints of schedules. Two schedules with the same fingerprint take the same time on the same
// machine.
#pragma once

#include <string>

#include "schedules/rank_part.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Returns "whole:" and 16 digits: a hash of the kinds, ranks, levels, bytes and dependencies of all
// operations. With Detail::payload, the hash includes the blocks that each operation reads and
// writes.
[[nodiscard]] std::string fingerprint(const Schedule& schedule, Detail detail);
// Returns "rank:" and 16 digits: a hash of the operations of one rank that represents all ranks
// (see RankPart).
[[nodiscard]] std::string fingerprint(const RankPart& part);

// Makes the RankPart of the algorithm's schedule and returns its fingerprint; "" if the ranks are
// not equivalent.
[[nodiscard]] std::string fingerprint_of_rank(const Algorithm& algorithm, const Problem& problem);

// Returns the fingerprint to compare with `known`, which begins with "rank:" or "whole:"; the
// returned one begins in the same way. Returns "" if the algorithm refuses the problem, or if the
// ranks are no longer equivalent.
[[nodiscard]] std::string fingerprint_like(const std::string& known, const Algorithm& algorithm,
                                           const Problem& problem, Detail detail);

}}  // namespace tutti::schedules
