// Finds rules that are never used, because an earlier rule holds whenever they hold. Also finds
// incomplete lists of rules: for some calls, none of the rules holds.
#pragma once

#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// Returns true only if `outer` holds whenever `inner` holds. May also return false in such a case,
// because it compares each condition separately.
[[nodiscard]] bool covers(const Rule& outer, const Rule& inner);

// Adds a finding for each rule that is never used, and a finding if there are calls for which none
// of the rules holds. Does the same for the inner rules of each rule, separately.
void find_unreachable(const std::vector<Rule>& rules, RuleFile& file);

}  // namespace tutti::inline rule_files
