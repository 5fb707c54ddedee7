// Finds rules that are never taken because an earlier rule holds whenever they hold, and lists of
// rules of which none holds for some calls.
#pragma once

#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// Returns true only if `outer` holds whenever `inner` holds. May also return false in such a case,
// because it compares each condition separately.
[[nodiscard]] bool covers(const Rule& outer, const Rule& inner);

// Adds a finding for each rule that is never taken, and a finding if there are calls for which none
// of the rules holds. Does the same for the inner rules of each rule, separately.
void find_unreachable(const std::vector<Rule>& rules, RuleFile& file);

}  // namespace tutti::inline rule_files
